import type { Impact } from './plan.js';

/** What every step has, whatever it does. */
export interface StepBase {
  /** Unique in the plan and stable between plans: `create-talos-vm:141`. */
  readonly id: string;
  /** Node it belongs to; absent: the cluster, or a host. */
  readonly node?: string;
  /** A short sentence for people. */
  readonly title: string;
  /** Why: what differs, old → new. */
  readonly reasons: readonly string[];
  readonly impact: Impact;
  /** Steps that must have succeeded before. */
  readonly needs: readonly string[];
  /** For limits: where it puts load. */
  readonly load: { readonly host?: string; readonly storage?: string };
}
