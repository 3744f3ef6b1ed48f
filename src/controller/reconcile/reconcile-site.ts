/** One ProxmoxSite, once: whether it answers, which version and hosts it has. */
import { connectProxmox } from '../../clients/proxmox/client.js';
import { redactStrings } from '../../formats/redact/redact-text.js';
import { SITES } from '../api/group.js';
import { knownSite, type Named, readConditions, readSite, type SiteSpec } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { fails, holds, settled, stalled, type Verdicts, withConditions } from '../policy/conditions.js';
import { sameProxmox } from '../sites/same-proxmox.js';
import { secretValue } from './source.js';
import { changesStatus } from './unchanged.js';
import { wordsOf } from './words-of.js';
import { timestamp } from './write-status.js';

const LOOK_MS = 60_000;

interface SiteFacts {
  readonly version: string;
  readonly hosts: readonly {
    readonly name: string;
    readonly online: boolean;
    readonly fingerprint?: string;
  }[];
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
  const shared = await sharedProxmox(context, site, facts);
  await writeSiteStatus(
    context,
    site,
    { ...verdicts, ...shared.verdicts },
    { reachable, ...facts, ...shared.facts, ...useOf(context, site) },
  );
  return LOOK_MS;
}

/** Two sites of one Proxmox cluster work, as one: that they are two is most likely a mistake. */
async function sharedProxmox(
  context: ControllerContext,
  site: Named<SiteSpec>,
  { hosts }: Partial<SiteFacts>,
) {
  const all = (await context.client.list(SITES)).map((object) => knownSite(readSite(object)));
  const own = knownSite(site);
  const known = [...all.filter(({ name }) => name !== site.name), { ...own, hosts: hosts ?? own.hosts }];
  const { first, others } = sameProxmox(site.name, known);
  const facts = { sameAs: first === site.name ? null : first };
  if (others.length === 0) return { facts, verdicts: { Distinct: holds('OwnProxmox') } };
  const message = `${others.join(', ')} ${others.length === 1 ? 'points' : 'point'} at the same Proxmox cluster: hosts, runs and names of clusters are shared, request limits add up; keep one of them`;
  return { facts, verdicts: { Distinct: fails('SameProxmox', message) } };
}

/** In tens of percent, so that a site is not written to for each request more. */
function useOf({ sites }: ControllerContext, { name, spec }: Named<SiteSpec>) {
  if (!sites) return {};
  const requestsPerMinute = sites.useOf(name);
  const most = spec.limits.requestsPerSecond * 60;
  return { requestsPerMinute, requestUse: Math.ceil((requestsPerMinute * 10) / most) * 10 };
}

async function probe(context: ControllerContext, site: Named<SiteSpec>): Promise<SiteFacts> {
  const { spec } = site;
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
    ...(context.sites && { pace: context.sites.trafficOf(site, false).pace }),
    // The next look is the next attempt.
    retry: { attempts: 1, baseMs: 0, maxMs: 0 },
  });
  try {
    const [version, hosts] = await Promise.all([client.version(), client.nodes()]);
    return {
      version: version.version,
      hosts: hosts
        .map(({ node, online, fingerprint }) => ({
          name: node,
          online,
          ...(fingerprint !== undefined && { fingerprint }),
        }))
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
