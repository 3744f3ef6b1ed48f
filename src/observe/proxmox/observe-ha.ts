/** What Proxmox's HA manager looks after, and what it takes the hosts for. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { attempt } from '../attempt.js';
import { type Known, known, type ObservedHa } from '../observed.js';

export async function observeHa(
  client: ProxmoxClient,
  online: readonly string[],
): Promise<Known<ObservedHa>> {
  const [versions, hosts, resources, rules] = await Promise.all([
    hostVersions(client, online),
    attempt(() => client.haNodeStates()),
    attempt(() => client.haResources()),
    attempt(() => client.haRules()),
  ]);
  if (!hosts.known) return hosts;
  if (!resources.known) return resources;
  return known({
    hosts: hosts.value,
    versions: Object.fromEntries(versions),
    resources: Object.fromEntries(resources.value.map(({ sid, settings }) => [sid, settings])),
    rules: rules.known
      ? known(Object.fromEntries(rules.value.map(({ rule, type, settings }) => [rule, { type, settings }])))
      : rules,
  });
}

/** Of the hosts that answer: host → `9.2.11`. */
export async function hostVersions(
  client: ProxmoxClient,
  hosts: readonly string[],
): Promise<Map<string, string>> {
  const read = await Promise.all(
    hosts.map(async (name) => [name, await attempt(() => client.nodeStatus(name))] as const),
  );
  return new Map(
    read.flatMap(([name, status]): [string, string][] => {
      const version = status.known ? /^pve-manager\/([\d.]+)/.exec(status.value.version)?.[1] : undefined;
      return version === undefined ? [] : [[name, version]];
    }),
  );
}
