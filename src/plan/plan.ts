/** A plan is a value: serialisable, printable, the same bytes for the same input. */
import type { Step } from './steps.js';

export interface Plan {
  readonly format: 1;
  readonly cluster: { readonly name: string; readonly env: string };
  readonly action: 'apply' | 'destroy';
  /** Over everything observed that the plan relies on; `apply FILE` refuses when it has changed. */
  readonly fingerprint: string;
  /** In an order in which they could be carried out one by one. */
  readonly steps: readonly Step[];
  /** What forbids the plan, or keeps nodes out of it. */
  readonly problems: readonly Problem[];
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

/** What a step does to whoever uses the node. */
export type Impact =
  /** Nothing anybody notices. */
  | 'none'
  /** Hot-plug, or a value that needs no restart. */
  | 'live'
  /** The VM goes on, its network is interrupted or becomes another one. */
  | 'network'
  /** VM stop and start, or a Talos reboot. */
  | 'restart'
  /** A new OS disk; the data stays. */
  | 'replace'
  /** The node joins as a new one: what it had in /var is set aside. Its volumes stay. */
  | 'anew'
  /** The VM goes; the data stays. */
  | 'remove'
  /** Data is destroyed, because somebody asked for it by name. */
  | 'data-loss';

export function isDisruptive(impact: Impact): boolean {
  return impact !== 'none' && impact !== 'live';
}
