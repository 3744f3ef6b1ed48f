import { at, list, readDocuments, string, strings } from '../config/config-document.js';
import { bootState } from '../machine/boot-state.js';
import type { Machine } from '../machine/machine.js';
import { networkReadiness } from '../machine/machine-status.js';
import { linkAlias, linkName, platformAddresses } from '../network/addresses.js';
import { linkMtu, routedAddresses } from '../network/network-path.js';

/** What the network of a machine is now (resources/network), with the keys and their order as Talos writes them. */
type Spec = { id: string; spec: unknown; namespace?: string };

const ROUTE_PRIORITY = 1024;
const DEFAULT_RESOLVERS = ['1.1.1.1', '8.8.8.8'];
const DEFAULT_TIME_SERVERS = ['time.cloudflare.com'];

function allAddresses(machine: Machine): { link: string; cidr: string; nic: number }[] {
  const own = machine.addresses.map(({ ip, prefix, nic }) => ({
    link: linkName(nic),
    cidr: `${ip}/${prefix}`,
    nic,
  }));
  const first = own[0] ?? { link: linkName(0), nic: 0 };
  return [...own, ...machine.heldVips.map((vip) => ({ ...first, cidr: `${vip}/32` }))];
}

export function nodeAddresses(machine: Machine): Spec[] {
  const addresses = allAddresses(machine).map(({ cidr }) => cidr);
  const spec = (those: readonly string[]) => ({ addresses: those, sortAlgorithm: 'v1' });
  const former = bootState(machine).addresses.filter(
    (ip) => !addresses.some((cidr) => cidr.startsWith(`${ip}/`)),
  );
  return [
    { id: 'accumulative', spec: spec([...addresses, ...former.map((ip) => `${ip}/32`)]) },
    ...['current', 'routed'].map((id) => ({ id, spec: spec(addresses) })),
    { id: 'default', spec: spec(addresses.slice(0, 1)) },
  ];
}

export function addressStatuses(machine: Machine): Spec[] {
  return allAddresses(machine).map(({ link, cidr, nic }) => ({
    id: `${link}/${cidr}`,
    spec: {
      address: cidr,
      local: cidr.split('/')[0],
      linkIndex: nic + 2,
      linkName: link,
      family: 'inet4',
      scope: 'global',
      flags: 'permanent',
      priority: 0,
    },
  }));
}

/** What the cloud-init drive gave, as Talos keeps it beside the config's: `platform/enp0s18/10.5.0.11/24`. */
export function platformAddressSpecs({ room, hardware }: Machine): Spec[] {
  return platformAddresses(room.db, hardware).map(({ ip, prefix, nic }) => ({
    id: `platform/${linkName(nic)}/${ip}/${prefix}`,
    namespace: 'network-config',
    spec: {
      address: `${ip}/${prefix}`,
      linkName: linkName(nic),
      family: 'inet4',
      scope: 'global',
      flags: 'permanent',
      layer: 'platform',
    },
  }));
}

export function linkStatuses(machine: Machine): Spec[] {
  const { hardware, facts } = machine;
  return hardware.nics.map((nic, index) => ({
    id: linkName(index),
    spec: {
      index: index + 2,
      type: 'ether',
      linkIndex: 0,
      flags: 'UP,BROADCAST,RUNNING,MULTICAST,LOWER_UP',
      hardwareAddr: nic.mac.toLowerCase(),
      permanentAddr: nic.mac.toLowerCase(),
      broadcastAddr: 'ff:ff:ff:ff:ff:ff',
      mtu: linkMtu(machine, index),
      queueDisc: 'pfifo_fast',
      operationalState: 'up',
      kind: '',
      slaveKind: '',
      busPath: `0000:00:${(18 + index).toString(16)}.0`,
      driver: 'virtio_net',
      linkState: true,
      port: 'Other',
      duplex: 'Unknown',
      ...aliasOf(linkAlias(hardware, facts, index)),
    },
  }));
}

function aliasOf(alias: string | undefined): { alias?: string } {
  return alias === undefined ? {} : { alias };
}

export function routeStatuses(machine: Machine): Spec[] {
  const routes = routedAddresses(machine).map((address) => ({
    id: `inet4/${address.gateway}//${ROUTE_PRIORITY}`,
    spec: {
      family: 'inet4',
      dst: '',
      src: '',
      gateway: address.gateway,
      outLinkIndex: address.nic + 2,
      outLinkName: linkName(address.nic),
      table: 'main',
      priority: ROUTE_PRIORITY,
      scope: 'global',
      type: 'unicast',
      flags: '',
      protocol: 'static',
    },
  }));
  return routes.filter(({ id }, index) => routes.findIndex((other) => other.id === id) === index);
}

export function hostnameStatus(machine: Machine): Spec[] {
  const [hostname = '', ...domain] = machine.fqdn.split('.');
  return [{ id: 'hostname', spec: { hostname, domainname: domain.join('.') } }];
}

export function networkStatus(machine: Machine): Spec[] {
  const { addressReady, connectivityReady } = networkReadiness(machine);
  const spec = { addressReady, connectivityReady, hostnameReady: true, etcFilesReady: true };
  return [{ id: 'status', spec }];
}

export function resolverStatus(machine: Machine): Spec[] {
  const named = configured(machine, 'ResolverConfig', 'nameservers').flatMap(
    (server) => string(at(server, 'address')) ?? [],
  );
  const old = strings(at(mainOf(machine), 'machine', 'network', 'nameservers'));
  const dnsServers = [...named, ...old];
  return [
    {
      id: 'resolvers',
      spec: { dnsServers: dnsServers.length > 0 ? dnsServers : DEFAULT_RESOLVERS, searchDomains: [] },
    },
  ];
}

export function timeServerStatus(machine: Machine): Spec[] {
  const body = documentOf(machine, 'TimeSyncConfig');
  const servers = [
    ...strings(at(body, 'ntp', 'servers')),
    ...strings(at(mainOf(machine), 'machine', 'time', 'servers')),
  ];
  const timeServers = servers.length > 0 ? servers : DEFAULT_TIME_SERVERS;
  return [{ id: 'timeservers', spec: { timeServers, useNTS: false } }];
}

function documentOf(machine: Machine, kind: string): unknown {
  return readDocuments(machine.config ?? '').find((document) => document.kind === kind)?.body;
}

function mainOf(machine: Machine): unknown {
  return documentOf(machine, 'v1alpha1');
}

function configured(machine: Machine, kind: string, key: string): readonly unknown[] {
  return list(at(documentOf(machine, kind), key));
}
