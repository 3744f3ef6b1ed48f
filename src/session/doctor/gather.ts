/** Asks Proxmox for what the checks need; a part that cannot be read hides no other. */

import type { ClusterStatus, PresentedCertificate, ProxmoxClient } from '../../clients/proxmox/index.js';
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import { heldOn, type Permissions } from '../../formats/proxmox/permissions.js';
import { OxherdError } from '../../model/error.js';
import { attempt } from '../../observe/attempt.js';
import type { Known } from '../../observe/observed.js';
import type { ClusterFacts, DoctorFacts, HostFacts, MissingPrivilege } from './facts.js';
import { type NeededPrivileges, neededPrivileges } from './privileges.js';
import { hostsOf, storagesOf } from './wanted.js';

interface GatherWith {
  readonly client: ProxmoxClient;
  readonly inspect: (endpoint: string) => Promise<PresentedCertificate>;
  /** The clock that the hosts should have: the wall's, or the lab's. */
  readonly hostNow: () => number;
  /** The wall's. */
  readonly now: () => number;
}

export async function gather(config: Config, design: Design, using: GatherWith): Promise<DoctorFacts> {
  const { client } = using;
  const [endpoints, cluster] = await Promise.all([
    Promise.all(
      client.endpoints.map(async (endpoint) => ({
        endpoint,
        trust: client.trust(endpoint),
        certificate: await attempt(() => using.inspect(endpoint)),
      })),
    ),
    gatherCluster(config, design, using).then(
      (facts) => ({ reached: true, facts }) as const,
      (error: unknown) => ({ reached: false, error: OxherdError.from(error) }) as const,
    ),
  ]);
  return { endpoints, tokenId: client.tokenId, now: using.now(), cluster };
}

async function gatherCluster(config: Config, design: Design, using: GatherWith): Promise<ClusterFacts> {
  const { client } = using;
  // The first call tells whether anybody is there and knows us.
  const { version } = await client.version();
  const nodes = await client.nodes();
  // A host that is down answers nothing, after a long wait.
  const names = hostsOf(design).filter((host) => nodes.some((entry) => entry.node === host && entry.online));
  const [status, vms, mappings, roles, missing, hosts] = await Promise.all([
    attempt<ClusterStatus>(() => client.clusterStatus()),
    client.vms(),
    attempt(() => client.pciMappings()),
    attempt(async () => (await client.roles()).map((role) => role.roleid)),
    attempt(() => missingPrivileges(client, neededPrivileges(config, design))),
    Promise.all(names.map(async (host) => [host, await gatherHost(host, design, using)] as const)),
  ]);
  return { version, status, nodes, vms, mappings, roles, missing, hosts: Object.fromEntries(hosts) };
}

async function gatherHost(host: string, design: Design, { client, hostNow }: GatherWith): Promise<HostFacts> {
  const used = storagesOf(design).filter((wanted) => wanted.host === host);
  const [version, clockAhead, storages, bridges, cpuModels, volumes] = await Promise.all([
    attempt(async () => (await client.nodeStatus(host)).version),
    attempt(async () => clockAheadOf(await client.nodeTime(host), hostNow())),
    attempt(() => client.storages(host)),
    attempt(() => client.bridges(host)),
    attempt(() => client.cpuModels(host)),
    Promise.all(
      used.map(async ({ storage }) => [storage, await bytesByOwner(client, host, storage)] as const),
    ),
  ]);
  return { version, clockAhead, storages, bridges, cpuModels, volumes: Object.fromEntries(volumes) };
}

/** The host tells whole seconds: within that second it may be right. */
function clockAheadOf(seconds: number, now: number): number {
  const earliest = seconds * 1000;
  if (now < earliest) return earliest - now;
  return now < earliest + 1000 ? 0 : earliest + 1000 - now;
}

async function bytesByOwner(
  client: ProxmoxClient,
  host: string,
  storage: string,
): Promise<Known<Readonly<Record<number, number>>>> {
  return attempt(async () => {
    const bytes: Record<number, number> = {};
    for (const volume of await client.storageContent(host, storage, { content: 'images' })) {
      if (volume.vmid !== undefined) bytes[volume.vmid] = (bytes[volume.vmid] ?? 0) + volume.size;
    }
    return bytes;
  });
}

/**
 * The token's whole list answers for most paths. Where it says no, Proxmox is asked about that very path, because
 * a VM's pool counts too and the list does not show it.
 */
export async function missingPrivileges(
  client: Pick<ProxmoxClient, 'permissions'>,
  needs: readonly NeededPrivileges[],
): Promise<MissingPrivilege[]> {
  const list = await client.permissions();
  const asked = new Map<string, Promise<Permissions>>();
  const exact = async (path: string) => {
    const answer = asked.get(path) ?? client.permissions(path);
    asked.set(path, answer);
    return new Set(Object.keys((await answer)[path] ?? {}));
  };
  const neededOn = (path: string) => [
    ...new Set(needs.flatMap((other) => (other.path === path ? other.privileges : []))),
  ];
  const missing = await Promise.all(
    needs.map(async ({ path, privileges, need, why }) => {
      const listed = heldOn(list, path);
      const open = privileges.filter((privilege) => !listed.has(privilege));
      const held = open.length > 0 ? await exact(path) : listed;
      return open
        .filter((privilege) => !held.has(privilege))
        .map((privilege) => ({
          path,
          privilege,
          need,
          why,
          held: neededOn(path).filter((one) => held.has(one)),
        }));
    }),
  );
  return missing.flat();
}
