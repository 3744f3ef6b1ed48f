/** Why a node may not be taken down at this moment. */
export interface Refusal {
  readonly code: 'guard.quorum' | 'guard.away' | 'guard.api';
  /** Completes "refusing to disrupt work-1: …". */
  readonly why: string;
  readonly advice: string;
}
