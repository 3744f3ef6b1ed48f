import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { ClusterIdentity } from '../../formats/identities.js';
import type { Clock } from '../../model/clock.js';
import type { StepKind, StepOf } from '../../plan/steps.js';

/** What a step is carried out with. The client stands behind the interlock. */
export interface StepContext {
  readonly client: ProxmoxClient;
  readonly clock: Clock;
  readonly cluster: ClusterIdentity;
  /** Aborted by Ctrl-C: what can be cancelled without harm is; the rest is finished. */
  readonly signal: AbortSignal;
  progress(message: string): void;
}

export interface StepOutcome {
  /** Nothing had to be done: it was so already. */
  readonly already: boolean;
  readonly warnings?: readonly string[];
}

/** Reads, checks what the plan relied on, writes, reads back. Safe to repeat. */
export type Executor<K extends StepKind> = (step: StepOf<K>, context: StepContext) => Promise<StepOutcome>;

export const ALREADY: StepOutcome = { already: true };
export const DONE: StepOutcome = { already: false };
