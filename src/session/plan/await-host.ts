/** Waits until a host is back from its maintenance, with the storages that its nodes need. */
import { OxherdError } from '../../model/error.js';
import { observe } from '../../observe/observe.js';
import { nodesDrainedFrom } from '../../plan/facts/drained-nodes.js';
import { whyNotBack } from '../../plan/hosts/return-problems.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { designFor } from './prepare-plan.js';

const POLL_MS = 5_000;

export async function awaitHost(
  { signal, tell }: SessionContext,
  site: Site,
  host: string,
  waitSeconds: number,
): Promise<void> {
  const design = await designFor(site);
  const deadline = site.clock.elapsed() + waitSeconds * 1_000;
  for (let said: string | undefined; ; ) {
    const observed = await observe(site.client, design);
    const why = whyNotBack(observed, host, nodesDrainedFrom(design, observed, host));
    if (why === undefined) return;
    // Waiting does not bring a name that no one has.
    if (!observed.hosts[host] || site.clock.elapsed() >= deadline) {
      throw new OxherdError('host.not-back', why, {
        advice: `look at ${host} in Proxmox, then run \`oxherd host return ${host}\` again`,
      });
    }
    if (why !== said) tell({ kind: 'progress', message: `waiting: ${why}` });
    said = why;
    await site.clock.sleep(POLL_MS, signal);
  }
}
