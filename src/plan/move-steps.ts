/** Steps that take a VM to another host, or a node to another name. */
import type { Vmid } from '../model/identity.js';
import type { StepBase } from './step-base.js';

export type MoveStep =
  | ForgetNodeStep
  | DrainMarkStep
  | (StepBase & {
      readonly kind: 'migrate-vm';
      readonly vmid: Vmid;
      /** Where the plan found it. */
      readonly from: string;
      /** Where it goes. */
      readonly host: string;
      /** It goes on running meanwhile; else it is stopped before. */
      readonly online: boolean;
      /** Storage → the one that takes its volumes there; the others keep their names. */
      readonly storages: Readonly<Record<string, string>>;
      /** What is copied: bytes by storage there. */
      readonly copies: Readonly<Record<string, number>>;
    });

/** The VM that owns a node's disks says that its host is drained, or no longer. */
type DrainMarkStep = StepBase & { readonly vmid: Vmid; readonly host: string } & (
    | {
        readonly kind: 'mark-drained';
        readonly drainedFrom: string;
        /** From the moment of the step on. */
        readonly forSeconds: number;
      }
    | { readonly kind: 'unmark-drained' }
  );

/** The node object of a name that a machine had before. */
type ForgetNodeStep = StepBase & {
  readonly kind: 'forget-node';
  readonly name: string;
  /** SMBIOS uuid of the machine; an object of another one is left alone. */
  readonly uuid: string;
};
