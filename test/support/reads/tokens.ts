/** Tokens of Proxmox with the rights that a test gives them; the lab shortens its lists for them as Proxmox does. */
import { connectProxmox, type ProxmoxConnection } from '../../../src/clients/proxmox/client.js';
import { ALL_PRIVILEGES } from '../../../src/lab/proxmox/access/privileges.js';
import { tokenScript } from '../../../src/session/discover/token-script.js';
import type { ClusterSite } from '../cluster-site.js';

export interface Grant {
  readonly path: string;
  readonly privileges: readonly string[];
}

/** A user with these rights, and a client with its token; whoever opens it closes it. */
export async function clientWith(
  cluster: ClusterSite,
  name: string,
  grants: readonly Grant[],
): Promise<ProxmoxConnection> {
  const user = `${name}@pve`;
  const token = await cluster.byHand(async (root) => {
    await root.createUser(user);
    for (const [index, { path, privileges }] of grants.entries()) {
      const role = `${name}-${index}`;
      await root.createRole(role, privileges);
      await root.grant({ path, roles: [role], users: [user] });
    }
    return root.createToken(user, 'main', { privilegeSeparation: false });
  });
  const { lab } = cluster;
  return connectProxmox({
    endpoints: [lab.endpoint],
    token: `${token.fullTokenId}=${token.secret}`,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    clock: lab.clock,
    random: () => 0.5,
  });
}

/** The rights of `oxherd init --token-script`. */
export function documentedGrants(): Grant[] {
  const roles = new Map<string, string[]>();
  const grants: Grant[] = [];
  for (const line of tokenScript().split('\n')) {
    const [, role = '', list = ''] = /^pveum role add (\S+) --privs (\S+)/.exec(line) ?? [];
    if (role !== '') roles.set(role, [...(roles.get(role) ?? []), ...list.split(',')]);
    const [, path, granted] = /^pveum acl modify (\S+) --users \S+ --roles (\S+)/.exec(line) ?? [];
    if (path !== undefined && granted !== undefined)
      grants.push({ path, privileges: roles.get(granted) ?? [] });
  }
  return grants;
}

/** The same, with rights on VMs only through the cluster's pool, and on the id that owns the disks of the CSI driver. */
export function poolGrants(pool: string): Grant[] {
  return documentedGrants().flatMap((grant) =>
    grant.path === '/vms'
      ? [
          // An entry further down replaces the rights on `/pool`.
          { path: `/pool/${pool}`, privileges: [...grant.privileges, 'Pool.Allocate', 'Pool.Audit'] },
          { ...grant, path: '/vms/9999' },
        ]
      : [grant],
  );
}

const everythingBut = (...missing: readonly RegExp[]) =>
  [...ALL_PRIVILEGES].filter((privilege) => !missing.some((pattern) => pattern.test(privilege)));

/** Each with one right less than everything, as `path → right`. */
export function missingRights(vmids: readonly number[], storages: readonly string[]): [string, Grant[]][] {
  const all: Grant = { path: '/', privileges: everythingBut() };
  const lacks = (path: string, ...missing: RegExp[]): [string, Grant[]] => [
    `${missing.map(({ source }) => source).join(' ')} on ${path}`,
    path === '/'
      ? [{ path, privileges: everythingBut(...missing) }]
      : [all, { path, privileges: everythingBut(...missing) }],
  ];
  return [
    lacks('/vms', /^VM\.Audit$/),
    ...vmids.map((vmid) => lacks(`/vms/${vmid}`, /^VM\.Audit$/)),
    ...storages.map((storage) => lacks(`/storage/${storage}`, /^Datastore\./)),
    [
      'VM.Config.Disk on /vms, Datastore.Allocate on /storage',
      [
        all,
        { path: '/vms', privileges: everythingBut(/^VM\.Config\.Disk$/) },
        { path: '/storage', privileges: everythingBut(/^Datastore\.Allocate$/) },
      ],
    ],
    lacks('/', /^Sys\.Audit$/),
    lacks('/nodes', /^Sys\.Audit$/),
    lacks('/pool', /^Pool\.Audit$/),
    lacks('/sdn', /^SDN\./),
    lacks('/access', /./),
  ];
}
