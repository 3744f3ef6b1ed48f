/** What a change can do to a cluster that runs. */
type Effect =
  /** oxherd itself reads it; nothing in the cluster changes. */
  | 'none'
  | 'live'
  | 'component'
  | 'restart'
  | 'replace'
  | 'remove'
  /** A plan problem, with the way out. */
  | 'refused';

/** One effect or several, and the words that tell them apart. */
export type Entry = readonly [effects: readonly Effect[], how: string];

export const e = (effect: Effect | readonly Effect[], how: string): Entry => [
  typeof effect === 'string' ? [effect] : effect,
  how,
];
