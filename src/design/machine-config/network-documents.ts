/** Host name, links, addresses, VIP, DNS, time and registry mirrors. */

import type { NicConfig } from '../../config/config.js';
import { nodeMacs } from '../../formats/marks/node-macs.js';
import type { Mapping } from '../../formats/text/mapping.js';
import type { NodeContext } from './context.js';

/** A second default route, by DHCP on a further NIC, comes after the node's own (1024). */
const FURTHER_ROUTE_METRIC = 2048;

const document = (kind: string, value: Mapping): Mapping => ({ apiVersion: 'v1alpha1', kind, ...value });

export function networkDocuments(context: NodeContext): Mapping[] {
  const { config, node } = context;
  const { network, cluster, talos } = config;
  const dns = node.dns ?? network.dns;
  const resolver = {
    ...(dns.length > 0 && { nameservers: dns.map((address) => ({ address })) }),
    ...(network.searchDomains.length > 0 && { searchDomains: { domains: [...network.searchDomains] } }),
  };
  return [
    // `auto` must be off for a name of our own; quoted, since a bare off is a boolean to old readers.
    document('HostnameConfig', { hostname: node.name, auto: 'off' }),
    ...node.nics.flatMap((nic, index) => linkDocuments(context, nic, index)),
    ...(cluster.vip !== undefined && node.role === 'controlplane'
      ? [document('Layer2VIPConfig', { name: cluster.vip, link: linkName(0) })]
      : []),
    ...(Object.keys(resolver).length > 0 ? [document('ResolverConfig', resolver)] : []),
    ...(network.ntp.length > 0 ? [document('TimeSyncConfig', { ntp: { servers: [...network.ntp] } })] : []),
    ...talos.registryMirrors.map(({ registry, endpoints }) =>
      document('RegistryMirrorConfig', { name: registry, endpoints: endpoints.map((url) => ({ url })) }),
    ),
  ];
}

/** Links are known by their MAC: names of the kernel depend on slots and drivers. VLAN tags are Proxmox's part. */
function linkDocuments({ config, node }: NodeContext, nic: NicConfig, index: number): Mapping[] {
  const { network } = config;
  const name = linkName(index);
  const mac = nodeMacs(config, node)[index]?.toLowerCase();
  const alias = document('LinkAliasConfig', {
    name,
    selector: { match: `mac(link.permanent_addr) == "${mac}"` },
  });
  const link = { name, up: true, ...(nic.mtu !== undefined && { mtu: nic.mtu }) };
  if (index === 0) {
    const addresses = [{ address: `${node.ip}/${network.subnet.prefix}` }];
    return [alias, document('LinkConfig', { ...link, addresses, routes: [{ gateway: network.gateway }] })];
  }
  if (nic.address === 'dhcp') {
    const dhcp = document('DHCPv4Config', { name, routeMetric: FURTHER_ROUTE_METRIC });
    return [alias, document('LinkConfig', link), dhcp];
  }
  const addresses = nic.address && { addresses: [{ address: `${nic.address.ip}/${nic.address.prefix}` }] };
  return [alias, document('LinkConfig', { ...link, ...addresses })];
}

function linkName(index: number): string {
  return `net${index}`;
}
