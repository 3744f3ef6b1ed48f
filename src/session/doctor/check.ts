/** What a check says, for people and for JSON. */

export const GROUPS = [
  'connection',
  'certificate',
  'token',
  'privileges',
  'hosts',
  'clock',
  'storages',
  'network',
  'nodes',
  'internet',
  'devices',
  'gates',
  'capacity',
] as const;
type Group = (typeof GROUPS)[number];

export interface Check {
  readonly group: Group;
  readonly result: 'ok' | 'warn' | 'fail';
  /** Short and complete: `storage local on pve1 takes images for import` */
  readonly text: string;
  /** What to do, a line each; commands as they are typed. */
  readonly fix?: readonly string[];
}

export const ok = (group: Group, text: string): Check => ({ group, result: 'ok', text });
export const warn = (group: Group, text: string, ...fix: string[]): Check => ({
  group,
  result: 'warn',
  text,
  ...(fix.length > 0 && { fix }),
});
export const fail = (group: Group, text: string, ...fix: string[]): Check => ({
  group,
  result: 'fail',
  text,
  ...(fix.length > 0 && { fix }),
});
