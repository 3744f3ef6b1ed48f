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
  const old = names.filter(isOurs).sort().reverse().slice(Math.max(1, keep));
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
  return old;
}
