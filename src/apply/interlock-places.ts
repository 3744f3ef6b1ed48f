/** Whether a volume exists, asked of every host that answers: what the interlock needs to know before it is forgotten. */
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { ownerOfVolume, storageOfVolume } from '../formats/proxmox/drive-slots.js';
import { attempt } from '../observe/attempt.js';

/** `undefined`: no host that answers has it. Else why it may not be forgotten; completes "the volume …". */
export async function placeOfVolume(
  client: ProxmoxReads,
  node: string,
  volid: string,
): Promise<string | undefined> {
  const storage = storageOfVolume(volid);
  const hosts = (await client.nodes()).filter((host) => host.online);
  // Its own host must say so; a host that is off can keep its volumes, and nothing is erased there.
  for (const host of new Set([node, ...hosts.map(({ node: name }) => name)])) {
    const storages = await attempt(() => client.storages(host));
    const there = storages.known ? storages.value.find((one) => one.storage === storage) : undefined;
    if (storages.known && !there && host !== node) continue;
    if (!there?.active) return `may exist: the storage ${storage} of ${host} could not be listed`;
    const owner = ownerOfVolume(volid);
    const listed = await attempt(() =>
      client.storageContent(host, storage, owner === undefined ? {} : { vmid: owner }),
    );
    if (!listed.known) return `may exist: the storage ${storage} of ${host} could not be listed`;
    if (listed.value.some((volume) => volume.volid === volid)) return `exists on ${host}`;
  }
  return undefined;
}

/** By the storage; 0 where it does not list it. */
export async function listedSize(client: ProxmoxReads, node: string, volid: string): Promise<number> {
  const owner = ownerOfVolume(volid);
  const filter = owner === undefined ? {} : { vmid: owner };
  const listed = await client.storageContent(node, storageOfVolume(volid), filter);
  return listed.find((volume) => volume.volid === volid)?.size ?? 0;
}
