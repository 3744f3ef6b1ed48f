/** Can we talk to Proxmox, is it the right one, and what may we do there? */
import { grantCommands, grantsFor, isPinned, pinLine, type TlsTrust } from '../../clients/proxmox/index.js';
import { type Check, fail, ok, warn } from './check.js';
import type { ClusterFacts, DoctorFacts, MissingPrivilege } from './facts.js';

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 14;

export function connectionChecks(facts: DoctorFacts): Check[] {
  const silent = facts.endpoints
    .filter(({ certificate }) => !certificate.known)
    .map(({ endpoint, certificate }) =>
      warn('connection', `${endpoint} does not answer: ${certificate.known ? '' : certificate.why}`),
    );
  if (facts.cluster.reached) {
    const { version } = facts.cluster.facts;
    const answering = facts.endpoints.filter(({ certificate }) => certificate.known);
    return [
      ok('connection', `${answering.map(({ endpoint }) => endpoint).join(', ')}: Proxmox VE ${version}`),
      ...silent,
      ...versionChecks(version),
    ];
  }
  const { error } = facts.cluster;
  if (error.code === 'proxmox.unauthorized') return [ok('connection', 'Proxmox answers'), ...silent];
  return [fail('connection', error.message, ...(error.advice?.split('\n') ?? []))];
}

function versionChecks(version: string): Check[] {
  const major = Number(version.split('.')[0]);
  if (major >= 9) return [];
  const text = `Proxmox VE ${version} is older than 9; oxherd supports 9.x`;
  return [(major === 8 ? warn : fail)('connection', text, 'Upgrade Proxmox VE first: pve8to9')];
}

export function certificateChecks(facts: DoctorFacts): Check[] {
  return facts.endpoints.flatMap(({ endpoint, trust, certificate }) => {
    if (!certificate.known) return [];
    const { validTo, validFrom } = certificate.value;
    const days = Math.floor((validTo.getTime() - facts.now) / DAY_MS);
    const trusted = trustCheck(endpoint, trust, certificate.value.fingerprint, facts);
    if (validFrom.getTime() > facts.now) {
      return [trusted, warn('certificate', `${endpoint}: valid only from ${validFrom.toISOString()}`)];
    }
    if (days < 0) {
      return [
        trusted,
        warn('certificate', `${endpoint}: expired ${-days} days ago`, 'pvecm updatecerts --force'),
      ];
    }
    return days < EXPIRES_SOON_DAYS
      ? [trusted, warn('certificate', `${endpoint}: expires in ${days} days`, 'pvecm updatecerts --force')]
      : [trusted];
  });
}

function trustCheck(endpoint: string, trust: TlsTrust, presented: string, facts: DoctorFacts): Check {
  const compare = 'Compare it with the one on the host (pvenode cert info), then write:';
  const pin = pinLine(endpoint, presented, facts.endpoints.length > 1);
  if (trust.kind === 'insecure') {
    return warn('certificate', `${endpoint}: not checked (proxmox.insecure)`, compare, pin);
  }
  const { cluster } = facts;
  // Each endpoint is compared, also those that were not asked anything: one of them is the next when another is down.
  const wrong =
    trust.kind === 'fingerprint'
      ? !isPinned(trust, presented)
      : !cluster.reached && cluster.error.code === 'proxmox.certificate';
  if (wrong) return fail('certificate', `${endpoint}: not trusted; it presents ${presented}`, compare, pin);
  const how = { fingerprint: 'pinned', ca: 'signed by the CA', system: 'trusted by the system' }[trust.kind];
  return ok('certificate', `${endpoint}: ${how}, fingerprint ${presented}`);
}

export function tokenChecks(facts: DoctorFacts): Check[] {
  if (facts.cluster.reached) return [ok('token', `${facts.tokenId} is accepted`)];
  const { error } = facts.cluster;
  if (error.code !== 'proxmox.unauthorized') return [];
  return [fail('token', error.message, ...(error.advice?.split('\n') ?? []))];
}

export function privilegeChecks(cluster: ClusterFacts, tokenId: string): Check[] {
  const { missing } = cluster;
  if (!missing.known) return [warn('privileges', `cannot be read: ${missing.why}`)];
  if (missing.value.length === 0) return [ok('privileges', 'the token has all that the design needs')];
  // What an earlier command here adds exists for the later ones.
  const roles = cluster.roles.known ? [...cluster.roles.value] : undefined;
  return (['must', 'should'] as const).flatMap((need) => {
    const lacking = missing.value.filter((entry) => entry.need === need);
    // What is granted on a path takes the place of what is held from above it, so that is granted there as well.
    const granted = lacking.flatMap(({ path, privilege, held = [] }) =>
      [privilege, ...held].map((one) => ({ path, privilege: one })),
    );
    return grantsFor(granted).map((grant) => {
      const of = lacking.filter((entry) => grantsFor([entry])[0]?.role === grant.role);
      const say = need === 'must' ? fail : warn;
      const commands = grantCommands(grant, tokenId, roles);
      roles?.push(grant.role);
      return say('privileges', describe(of), ...commands);
    });
  });
}

/** `VM.Audit and VM.Config.CPU are missing on /vms/141, /vms/142 (to make and change VMs)` */
function describe(missing: readonly MissingPrivilege[]): string {
  const pathsOf = new Map<string, string[]>();
  for (const { path, privilege } of missing) {
    pathsOf.set(privilege, [...(pathsOf.get(privilege) ?? []), path]);
  }
  const parts = [...pathsOf].map(([privilege, paths]) => `${privilege} on ${[...new Set(paths)].join(', ')}`);
  const why = [...new Set(missing.map((entry) => entry.why))];
  return `missing: ${parts.join('; ')} (to ${why.slice(0, 2).join(', ')}${why.length > 2 ? ', …' : ''})`;
}
