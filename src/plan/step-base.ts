import type { Impact } from './impact.js';
import type { StepAction } from './step-actions.js';

/** Who made a difference, as far as notes and marks tell; a difference that oxherd.yaml alone made has no such entry. */
export type DriftAuthor =
  /** Oxherd.yaml asks for what it asked for when it was last applied. */
  | 'hand'
  /** Oxherd.yaml has changed, and what is there is not what was applied last. */
  | 'both'
  | 'unknown';

export interface Drift {
  /** One of the step's reasons. */
  readonly reason: string;
  readonly by: DriftAuthor;
}

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
  /** Reasons that are not, or not only, a change of oxherd.yaml. Oxherd.yaml wins: the step makes it so. */
  readonly drift?: readonly Drift[];
  readonly action: StepAction;
  readonly impact: Impact;
  /** Steps that must have succeeded before. */
  readonly needs: readonly string[];
  /** What was observed that the step takes for granted; another value makes it another plan. */
  readonly relies?: Readonly<Record<string, string>>;
  /** For limits: where it puts load. */
  readonly load: { readonly host?: string; readonly storage?: string };
}
