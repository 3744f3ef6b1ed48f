/** Turns a cluster into one that version 0.1.0 made: its tags, pool, user, token, role and CSI volumes. */
import type { KubernetesClient } from '../../src/clients/kubernetes/client.js';
import { PERSISTENT_VOLUMES, SECRETS } from '../../src/clients/kubernetes/resources.js';
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import {
  CSI_TOKEN,
  clusterTag,
  csiAccessNames,
  legacyCsiAccessNames,
  legacyTag,
} from '../../src/formats/marks/cluster-names.js';
import type { ClusterIdentity } from '../../src/formats/marks/identities.js';
import { printTags } from '../../src/formats/proxmox/property-string.js';

export async function makeTagsOld(
  hand: ProxmoxClient,
  cluster: ClusterIdentity,
  /** Others may have the tag too. */
  isOurs: (vmid: number) => boolean = () => true,
): Promise<void> {
  const [tag, old] = [clusterTag(cluster), legacyTag(cluster)];
  for (const vm of await hand.vms()) {
    if (!vm.tags.includes(tag) || !isOurs(vm.vmid)) continue;
    const tags = printTags(vm.tags.map((one) => (one === tag ? old : one)));
    await hand.updateVm(vm.node, vm.vmid, { set: { tags } });
  }
  const pools = (await hand.pools()).map((pool) => pool.poolid);
  if (!pools.includes(tag) || pools.includes(old)) return;
  const { vmids } = await hand.pool(tag);
  await hand.createPool(old, `Talos VMs of ${cluster.name}`);
  if (vmids.length > 0) await hand.updatePool(old, { vms: vmids, allowMove: true });
}

/** The secret of the old token. The old pool is there already. */
export async function makeAccessOld(hand: ProxmoxClient, cluster: ClusterIdentity): Promise<string> {
  const [now, old] = [csiAccessNames(cluster), legacyCsiAccessNames(cluster)];
  const [tag, oldPool] = [clusterTag(cluster), legacyTag(cluster)];
  const roles = await hand.roles();
  for (const [id, oldId] of [
    [now.role, old.role],
    [now.deleteRole, old.deleteRole],
  ] as const) {
    const role = roles.find((one) => one.roleid === id);
    if (role) await hand.createRole(oldId, role.privileges);
  }
  await hand.createUser(old.user, `Proxmox CSI driver of ${cluster.name}`);
  const { secret } = await hand.createToken(old.user, CSI_TOKEN, { privilegeSeparation: true });
  for (const { path, ugid, roleid, propagate } of await hand.acls()) {
    if (ugid !== now.user && ugid !== `${now.user}!${CSI_TOKEN}`) continue;
    await hand.grant({
      path: path === `/pool/${tag}` ? `/pool/${oldPool}` : path,
      roles: [roleid === now.role ? old.role : old.deleteRole],
      [ugid === now.user ? 'users' : 'tokens']: [ugid === now.user ? old.user : `${old.user}!${CSI_TOKEN}`],
      propagate,
    });
  }
  await hand.deleteUser(now.user);
  for (const id of [now.role, now.deleteRole])
    if (roles.some((role) => role.roleid === id)) await hand.deleteRole(id);
  await hand.deletePool(tag);
  return secret;
}

/** The driver's secret names the old token, and a volume's PersistentVolume the old disk. */
export async function makeObjectsOld(
  kubernetes: KubernetesClient,
  cluster: ClusterIdentity,
  change: { readonly secret: string; readonly volume: string; readonly disk: string },
): Promise<void> {
  const secret = await kubernetes.get(SECRETS, 'proxmox-csi-plugin', 'csi-proxmox');
  const text = Buffer.from(secret?.data?.['config.yaml'] ?? '', 'base64').toString();
  const { user } = legacyCsiAccessNames(cluster);
  const old = text
    .replace(/token_id: .*/, `token_id: "${user}!${CSI_TOKEN}"`)
    .replace(/token_secret: .*/, `token_secret: "${change.secret}"`);
  await kubernetes.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'proxmox-csi-plugin', namespace: 'csi-proxmox' },
    data: { 'config.yaml': Buffer.from(old).toString('base64') },
  });
  const volume = await kubernetes.get(PERSISTENT_VOLUMES, change.volume);
  if (!volume?.spec?.csi) throw new Error(`there is no PersistentVolume ${change.volume}`);
  await kubernetes.delete(PERSISTENT_VOLUMES, change.volume);
  const { claimRef: _, ...spec } = volume.spec;
  const handle = volume.spec.csi.volumeHandle.replace(/[^/]+$/, change.disk);
  await kubernetes.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: change.volume,
      labels: volume.metadata?.labels ?? {},
      annotations: volume.metadata?.annotations ?? {},
    },
    spec: { ...spec, csi: { ...volume.spec.csi, volumeHandle: handle } },
  });
}
