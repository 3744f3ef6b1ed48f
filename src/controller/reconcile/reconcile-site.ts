/** One ProxmoxSite, once: whether it answers, which version and hosts it has. */
import { connectProxmox } from '../../clients/proxmox/client.js';
import { redactStrings } from '../../formats/redact/redact-text.js';
import { SITES } from '../api/group.js';
import { type Named, readConditions, readSite, type SiteSpec } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { settled, stalled, type Verdicts, withConditions } from '../policy/conditions.js';
import { secretValue } from './source.js';
import { changesStatus } from './unchanged.js';
import { wordsOf } from './words-of.js';
import { timestamp } from './write-status.js';

const LOOK_MS = 60_000;

interface SiteFacts {
  readonly version: string;
  readonly hosts: readonly { readonly name: string; readonly online: boolean }[];
}

export async function reconcileSite(context: ControllerContext, name: string): Promise<number | undefined> {
  const object = await context.client.get(SITES, name);
  if (!object) {
    context.metrics.forget({ site: name });
    return undefined;
  }
  const site = readSite(object);
  let verdicts: Verdicts;
  let facts: Partial<SiteFacts> = {};
  try {
    facts = await probe(context, site);
    const down = facts.hosts?.filter(({ online }) => !online).map((host) => host.name) ?? [];
    const message = down.length === 0 ? 'it answers' : `it answers; offline: ${down.join(', ')}`;
    verdicts = settled(message);
  } catch (error) {
    verdicts = stalled('NotReachable', wordsOf(error));
  }
  const reachable = facts.version !== undefined;
  context.metrics.set('oxherd_site_reachable', reachable ? 1 : 0, { site: name });
  await writeSiteStatus(context, site, verdicts, { reachable, ...facts });
  return LOOK_MS;
}

async function probe(context: ControllerContext, { spec }: Named<SiteSpec>): Promise<SiteFacts> {
  const { ca, fingerprint, endpoints, tokenSecretRef } = spec;
  const { name, key = 'token' } = tokenSecretRef;
  const client = connectProxmox({
    endpoints,
    token: (await secretValue(context, context.namespace, name, key)).trim(),
    tls:
      fingerprint !== undefined
        ? { kind: 'fingerprint', sha256: fingerprint }
        : ca !== undefined
          ? { kind: 'ca', pem: ca }
          : { kind: 'system' },
    clock: context.time,
    random: Math.random,
    signal: context.signal,
    // The next look is the next attempt.
    retry: { attempts: 1, baseMs: 0, maxMs: 0 },
  });
  try {
    const [version, hosts] = await Promise.all([client.version(), client.nodes()]);
    return {
      version: version.version,
      hosts: hosts
        .map((host) => ({ name: host.node, online: host.online }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  } finally {
    await client.close();
  }
}

async function writeSiteStatus(
  { client, time }: ControllerContext,
  { name, generation, object }: Named<SiteSpec>,
  verdicts: Verdicts,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  const now = time.now();
  const conditions = withConditions(readConditions(object), verdicts, { now, generation });
  const status = redactStrings({
    observedGeneration: generation,
    conditions,
    ...facts,
    lastProbe: timestamp(now),
  });
  if (!changesStatus(object.status, status, now)) return;
  await client.patch(SITES, name, { status }, { kind: 'merge', subresource: 'status' });
}
