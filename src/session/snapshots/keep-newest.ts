/** Files that come by themselves go by themselves: the newest stay, and the one that was just written always does. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** `isOurs` decides by name, and names sort by time. Returns what was removed. */
export async function keepNewest(
  folder: string,
  isOurs: (name: string) => boolean,
  keep: number,
): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const removed = old(names.filter(isOurs), keep);
  await Promise.all(removed.map((name) => rm(join(folder, name), { force: true })));
  return removed;
}

/** All but the newest `keep` of names that sort by time; one always stays. */
export function old(names: readonly string[], keep: number): string[] {
  return [...names].sort().reverse().slice(Math.max(1, keep));
}
