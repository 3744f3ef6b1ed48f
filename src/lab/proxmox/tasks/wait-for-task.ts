/** Some calls wait a while for the task they started (`delay`, `background_delay`). */
import { type Pve, PveError } from '../api.js';

const POLL = 100;

/** `true`: it ended well; `false`: it still runs. A failed one is the call's own failure. */
export async function waitForTask(
  pve: Pve,
  upid: string,
  seconds: number,
  failure: (exitstatus: string) => string,
): Promise<boolean> {
  const end = pve.core.clock.now() + seconds * 1000;
  for (;;) {
    const exitstatus = pve.db.tasks.get(upid)?.exitstatus;
    if (exitstatus !== undefined) {
      if (exitstatus === 'OK' || exitstatus.startsWith('WARNINGS')) return true;
      throw new PveError(500, failure(exitstatus));
    }
    if (pve.core.clock.now() >= end) return false;
    await pve.core.clock.sleep(POLL);
  }
}
