/** Folders of twins: they go with their twin, and with the process where that is told to end at once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface TwinFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const open = new Set<string>();

function removeAll(): void {
  for (const path of open) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A thread may still write into it; there is no time left to wait for that.
    }
  }
}

/** `below`: a folder of another thread, which removes it with all that is in it. */
export function makeTwinFolder(below?: string): TwinFolder {
  // At once, so that no signal comes between the folder and the note of it.
  const path = mkdtempSync(join(below ?? tmpdir(), 'oxherd-twin-'));
  if (open.size === 0) process.on('exit', removeAll);
  open.add(path);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      open.delete(path);
      if (open.size === 0) process.off('exit', removeAll);
    },
  };
}
