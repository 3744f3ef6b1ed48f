/** Taking over VMs that something else made, and giving them back. */
import type { Vmid } from '../../model/identity.js';
import type { StepBase } from '../step-base.js';
import type { ValueChange } from '../steps.js';

export type AdoptionStep =
  | (StepBase & {
      /** Everything that makes a VM one of the cluster, in one write; nothing of it restarts or moves anything. */
      readonly kind: 'adopt-vm';
      readonly vmid: Vmid;
      readonly host: string;
      /** Whose VM it is: the uuid that the running machine told, and the address at which it did. */
      readonly machine?: { readonly uuid: string; readonly ip: string };
      /** Slot → volume, of every drive that gets an identity: another one there is another plan. */
      readonly volumes: Readonly<Record<string, string>>;
      /** Whole values, drives by their slots. */
      readonly changes: Readonly<Record<string, ValueChange>>;
    })
  | (StepBase & {
      /** The options that the VM had before it was taken over. */
      readonly kind: 'release-vm';
      readonly vmid: Vmid;
      readonly host: string;
      readonly changes: Readonly<Record<string, ValueChange>>;
    });
