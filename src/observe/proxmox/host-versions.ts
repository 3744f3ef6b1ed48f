/** Which Proxmox VE the hosts run. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { attempt } from '../attempt.js';
import type { ObservedHost } from '../observed.js';

type Hosts = Readonly<Record<string, ObservedHost>>;

/** Each with its version, as far as it answers. */
export async function withVersions(client: ProxmoxClient, hosts: Hosts): Promise<Hosts> {
  const read = await Promise.all(
    Object.values(hosts).map(async (host): Promise<ObservedHost> => {
      if (!host.online || host.version !== undefined) return host;
      const status = await attempt(() => client.nodeStatus(host.name));
      const version = status.known ? /^pve-manager\/([\d.]+)/.exec(status.value.version)?.[1] : undefined;
      return { ...host, ...(version !== undefined && { version }) };
    }),
  );
  return Object.fromEntries(read.map((host) => [host.name, host]));
}
