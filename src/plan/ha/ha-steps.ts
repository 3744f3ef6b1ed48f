/** Steps that tell Proxmox's HA manager what to look after. */
import type { StepBase } from '../step-base.js';

export type HaStep =
  | (StepBase & {
      readonly kind: 'set-ha-resource';
      /** `vm:151` */
      readonly sid: string;
      readonly settings: Readonly<Record<string, string>>;
    })
  | (StepBase & { readonly kind: 'remove-ha-resource'; readonly sid: string; readonly comment: string })
  | (StepBase & {
      readonly kind: 'set-ha-rule';
      readonly rule: string;
      readonly type: string;
      readonly settings: Readonly<Record<string, string>>;
    })
  | (StepBase & { readonly kind: 'remove-ha-rule'; readonly rule: string });
