/** A plan is a value: serialisable, printable, the same bytes for the same input. */
import type { UnreadPart } from '../observe/observed-unread.js';
import type { Step } from './steps.js';

export { type Impact, isDisruptive } from './impact.js';

export interface Plan {
  readonly format: 2;
  /** Over everything that decides what the plan does: the same effect has the same id. */
  readonly planId: string;
  /** Over all secrets that its steps send; absent before there are any. */
  readonly secrets?: string;
  /** Digest of the desired state: part of the id. */
  readonly desired: string;
  readonly cluster: { readonly name: string; readonly env: string };
  readonly action: 'apply' | 'destroy';
  /**
   * Talos VMs that go down whatever etcd, the other nodes and the gates say: etcd starts again as a whole with them
   * (`--fresh`, `etcd restore`), and that was confirmed by name.
   */
  readonly confirmedOutage?: readonly number[];
  /** In an order in which they could be carried out one by one. */
  readonly steps: readonly Step[];
  /** What forbids the plan, or keeps nodes out of it. */
  readonly problems: readonly Problem[];
  /** Parts in scope that were not read: what the plan says of them rests on nothing. No part of its id. */
  readonly incomplete: readonly UnreadPart[];
  /** Worth knowing: parked data, things that are not permitted, parts that could not be read. */
  readonly notes: readonly Note[];
}

export interface Problem {
  readonly code: string;
  /** `plan`: nothing is carried out until it is solved. `node`: that node is left out, the others go on. */
  readonly scope: 'plan' | 'node';
  /** Absent: it concerns the whole cluster. */
  readonly node?: string;
  readonly message: string;
  readonly advice: string;
}

export interface Note {
  readonly code: 'parked' | 'not-permitted' | 'unknown' | 'left-alone' | 'drift' | 'advice' | 'outage';
  readonly node?: string;
  readonly message: string;
}
