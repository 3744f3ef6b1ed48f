/** What is tried with faults, and what became of it: plain data, which a thread can send to another. */
import type { FaultName } from '../../../lab/faults.js';

/** `did not strike`: nothing of this run asked for what would have failed, so it says nothing about the fault. */
export const VERDICTS = [
  'continued',
  'stopped safely',
  'needs a person',
  'did not strike',
  'UNSAFE',
] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface ChaosCase {
  /** Names it for a replay. */
  readonly id: string;
  readonly step: string;
  readonly kind: string;
  readonly node: string;
  readonly fault: FaultName;
  readonly subject: string;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** What the run said, or what was broken. */
  readonly why?: string;
}

export type ChaosResult = ChaosCase & Judgement;

/** Something that tries cases of one recording, one at a time. */
export interface CaseRunner {
  try(id: string): Promise<Judgement>;
  close(): Promise<void>;
}
