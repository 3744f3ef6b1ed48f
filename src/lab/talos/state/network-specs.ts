import { at, list, readDocuments, string, strings } from '../config/config-document.js';
import type { Machine } from '../machine/machine.js';
import { networkReadiness } from '../machine/machine-status.js';
import { linkMtu, routedAddresses } from '../network/network-path.js';

/** What the network of a machine is now (resources/network), with the keys and their order as Talos writes them. */
type Spec = { id: string; spec: unknown };

const ROUTE_PRIORITY = 1024;
const DEFAULT_RESOLVERS = ['1.1.1.1', '8.8.8.8'];
const DEFAULT_TIME_SERVERS = ['time.cloudflare.com'];

function allAddresses(machine: Machine): { link: string; cidr: string; nic: number }[] {
  const own = machine.addresses.map(({ ip, prefix, nic }) => ({
    link: `eth${nic}`,
    cidr: `${ip}/${prefix}`,
    nic,
  }));
  const first = own[0] ?? { link: 'eth0', nic: 0 };
  return [...own, ...machine.heldVips.map((vip) => ({ ...first, cidr: `${vip}/32` }))];
}

export function nodeAddresses(machine: Machine): Spec[] {
  const addresses = allAddresses(machine).map(({ cidr }) => cidr);
  const spec = (those: readonly string[]) => ({ addresses: those, sortAlgorithm: 'v1' });
  return [
    ...['accumulative', 'current', 'routed'].map((id) => ({ id, spec: spec(addresses) })),
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

export function linkStatuses(machine: Machine): Spec[] {
  return machine.hardware.nics.map((nic, index) => ({
    id: `eth${index}`,
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
      busPath: '0000:00:12.0',
      driver: 'virtio_net',
      linkState: true,
      port: 'Other',
      duplex: 'Unknown',
    },
  }));
}

export function routeStatuses(machine: Machine): Spec[] {
  return routedAddresses(machine).map((address) => ({
    id: `inet4/${address.gateway}//${ROUTE_PRIORITY}`,
    spec: {
      family: 'inet4',
      dst: '',
      src: '',
      gateway: address.gateway,
      outLinkIndex: address.nic + 2,
      outLinkName: `eth${address.nic}`,
      table: 'main',
      priority: ROUTE_PRIORITY,
      scope: 'global',
      type: 'unicast',
      flags: '',
      protocol: 'static',
    },
  }));
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
