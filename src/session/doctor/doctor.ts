/** What stands between this computer and a working apply: facts from Proxmox, and the checks on them. */
import { inspectCertificate } from '../../clients/proxmox/index.js';
import type { Site } from '../connect/site.js';
import { designFor } from '../plan/prepare-plan.js';
import type { Check } from './check.js';
import { examine } from './examine.js';
import { gather } from './gather.js';

const INSPECT_TIMEOUT_MS = 5_000;

export async function examineSite(site: Site): Promise<Check[]> {
  const { config, client, clock } = site;
  const design = await designFor(site);
  const facts = await gather(config, design, {
    client,
    inspect: (endpoint) => inspectCertificate(endpoint, { timeoutMs: INSPECT_TIMEOUT_MS }),
    hostNow: () => clock.now(),
    now: () => Date.now(),
  });
  return examine(config, design, facts);
}
