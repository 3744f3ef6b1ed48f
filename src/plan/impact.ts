/** What a step does to whoever uses the node, mildest first. */
import { ownValue } from '../formats/text/mapping.js';
export const IMPACTS = [
  /** Nothing that a user of the cluster notices. */
  'none',
  /** Hot-plug, or a value that needs no restart. */
  'live',
  /** A Kubernetes component or the node's network restarts; the pods stay. */
  'component',
  /** VM stop and start, or a Talos reboot. */
  'restart',
  /** A new system disk; the data stays. */
  'replace',
  /** The node joins as a new one: its old EPHEMERAL disk is set aside. Its data volumes stay. */
  'reset',
  /** The VM goes; the data stays. */
  'remove',
  /** Data is destroyed; only where the user named it. */
  'data-loss',
] as const;

export type Impact = (typeof IMPACTS)[number];

/** Words of plans and journals that earlier versions wrote. */
const FORMER_WORDS: Readonly<Record<string, Impact>> = { network: 'component', anew: 'reset' };

/** `undefined`: no impact of any version. */
export function parseImpact(word: string): Impact | undefined {
  return IMPACTS.find((impact) => impact === word) ?? ownValue(FORMER_WORDS, word);
}

export function isDisruptive(impact: Impact): boolean {
  return impact !== 'none' && impact !== 'live';
}
