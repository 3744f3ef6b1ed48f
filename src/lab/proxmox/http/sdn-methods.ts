/** Methods of the software-defined network that change it: the generated part of the API only reads it. */
import type { MethodSchema, PropertySchema } from '../schema.js';
import { checkOf, method, perm } from './method.js';

const text = (more: Partial<PropertySchema> = {}): PropertySchema => ({
  type: 'string',
  optional: true,
  ...more,
});
const number = (minimum?: number, maximum?: number): PropertySchema => ({
  type: 'integer',
  optional: true,
  ...(minimum !== undefined && { minimum }),
  ...(maximum !== undefined && { maximum }),
});
const FLAG: PropertySchema = { type: 'boolean', optional: true };
const NODES = text({ format: 'pve-node-list' });
const LOCK = { 'lock-token': text() };
const VIEW = { pending: FLAG, running: FLAG };
const CHANGE = {
  ...LOCK,
  digest: text({ maxLength: 64 }),
  delete: text({ format: 'pve-configid-list', maxLength: 4096 }),
};

const ZONE: PropertySchema = {
  type: 'string',
  pattern: '[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]',
  minLength: 2,
  maxLength: 8,
};
const ZONE_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  'advertise-subnets': FLAG,
  bridge: text(),
  'bridge-disable-mac-learning': FLAG,
  controller: text(),
  dhcp: text({ enum: ['dnsmasq'] }),
  'disable-arp-nd-suppression': FLAG,
  dns: text(),
  dnszone: text({ format: 'dns-name' }),
  exitnodes: NODES,
  'exitnodes-local-routing': FLAG,
  'exitnodes-primary': text({ format: 'pve-node' }),
  fabric: text({ pattern: '[a-zA-Z0-9][a-zA-Z0-9-]{0,6}[a-zA-Z0-9]?' }),
  ipam: text(),
  mac: text({ format: 'mac-addr' }),
  mtu: number(),
  nodes: NODES,
  peers: text({ format: 'ip-list' }),
  reversedns: text(),
  'rt-import': text(),
  tag: number(0),
  'vlan-protocol': text({ enum: ['802.1q', '802.1ad'] }),
  'vrf-vxlan': number(1, 16_777_215),
  'vxlan-port': number(1, 65_536),
};

const VNET: PropertySchema = {
  type: 'string',
  pattern: '[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]',
  minLength: 2,
  maxLength: 8,
};
const VNET_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  alias: text({ pattern: '[()-_.\\w\\d\\s]{0,256}', maxLength: 256 }),
  'isolate-ports': FLAG,
  tag: number(1, 16_777_215),
  type: text({ enum: ['vnet'] }),
  vlanaware: FLAG,
};

const SUBNET: PropertySchema = { type: 'string', format: 'pve-sdn-subnet-id' };
const SUBNET_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  'dhcp-dns-server': text({ format: 'ip' }),
  'dhcp-range': { type: 'array', optional: true, items: { type: 'string', format: 'pve-sdn-dhcp-range' } },
  dnszoneprefix: text({ format: 'dns-name' }),
  gateway: text({ format: 'ip' }),
  snat: FLAG,
};

const CONTROLLER: PropertySchema = {
  type: 'string',
  pattern: '[a-zA-Z][a-zA-Z0-9_-]*[a-zA-Z0-9]',
  minLength: 2,
  maxLength: 64,
};
const CONTROLLER_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  asn: number(0, 4_294_967_295),
  'bgp-multipath-as-path-relax': FLAG,
  ebgp: FLAG,
  'ebgp-multihop': number(),
  fabric: text({ pattern: '[a-zA-Z0-9][a-zA-Z0-9-]{0,6}[a-zA-Z0-9]?' }),
  'isis-domain': text(),
  'isis-ifaces': text({ format: 'pve-iface-list' }),
  'isis-net': text({
    pattern: '[a-fA-F0-9]{2}(\\.[a-fA-F0-9]{4}){3,9}\\.[a-fA-F0-9]{2}',
    minLength: 20,
    maxLength: 50,
  }),
  loopback: text(),
  node: text({ format: 'pve-node' }),
  peers: text({ format: 'ip-list' }),
};

const FABRIC: PropertySchema = {
  type: 'string',
  pattern: '[a-zA-Z0-9][a-zA-Z0-9-]{0,6}[a-zA-Z0-9]',
  minLength: 2,
  maxLength: 8,
};
const PROTOCOL: PropertySchema = { type: 'string', enum: ['openfabric', 'ospf'] };
const LIST: PropertySchema = { type: 'array', optional: true, items: { type: 'string' } };
const FABRIC_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  area: text(),
  csnp_interval: { type: 'number', optional: true, minimum: 1, maximum: 600 },
  hello_interval: { type: 'number', optional: true, minimum: 1, maximum: 600 },
  ip6_prefix: text({ format: 'CIDR' }),
  ip_prefix: text({ format: 'CIDR' }),
  protocol: PROTOCOL,
};
const FABRIC_NODE_PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  interfaces: LIST,
  ip: text({ format: 'ipv4' }),
  ip6: text({ format: 'ipv6' }),
  protocol: PROTOCOL,
};
const FABRIC_NODE: PropertySchema = { type: 'string', format: 'pve-node' };

const SDN = '/cluster/sdn';
const ALL = { user: 'all' } as const;
const allocate = (path: string) => perm(path, 'SDN.Allocate');
const see = (path: string) => checkOf(['perm', path, ['SDN.Audit', 'SDN.Allocate'], 'any', 1]);

function fabricMethods(): MethodSchema[] {
  const fabric = `${SDN}/fabrics/fabric`;
  const node = `${SDN}/fabrics/node`;
  const own = { fabric_id: FABRIC, node_id: FABRIC_NODE };
  const onNode = (right: string) =>
    checkOf([
      'and',
      ['perm', '/sdn/fabrics/{fabric_id}', ['SDN.Allocate']],
      ['perm', '/nodes/{node_id}', [right]],
    ]);
  const change = { ...LOCK, digest: text({ maxLength: 64 }), delete: LIST };
  return [
    method('GET', `${SDN}/fabrics`, perm('/sdn/fabrics', 'SDN.Audit'), {}),
    method('GET', `${SDN}/fabrics/all`, ALL, VIEW),
    method('GET', fabric, ALL, VIEW),
    method('GET', `${fabric}/{id}`, see('/sdn/fabrics/{id}'), { id: FABRIC }),
    method('POST', fabric, allocate('/sdn/fabrics'), {
      id: FABRIC,
      ...FABRIC_PROPERTIES,
      ...LOCK,
      digest: text(),
    }),
    method('PUT', `${fabric}/{id}`, allocate('/sdn/fabrics/{id}'), {
      id: FABRIC,
      ...FABRIC_PROPERTIES,
      ...change,
    }),
    method('DELETE', `${fabric}/{id}`, allocate('/sdn/fabrics/{id}'), { id: FABRIC, ...LOCK }),
    method('GET', node, ALL, VIEW),
    method('GET', `${node}/{fabric_id}`, perm('/sdn/fabrics/{fabric_id}', 'SDN.Audit'), {
      fabric_id: FABRIC,
      ...VIEW,
    }),
    method('GET', `${node}/{fabric_id}/{node_id}`, onNode('Sys.Audit'), own),
    method('POST', `${node}/{fabric_id}`, onNode('Sys.Modify'), {
      ...own,
      ...FABRIC_NODE_PROPERTIES,
      ...LOCK,
      digest: text(),
    }),
    method('PUT', `${node}/{fabric_id}/{node_id}`, onNode('Sys.Modify'), {
      ...own,
      ...FABRIC_NODE_PROPERTIES,
      ...change,
    }),
    method('DELETE', `${node}/{fabric_id}/{node_id}`, onNode('Sys.Modify'), { ...own, ...LOCK }),
  ];
}

function subnetMethods(): MethodSchema[] {
  const path = `${SDN}/vnets/{vnet}/subnets`;
  const own = { vnet: VNET, subnet: SUBNET };
  return [
    method('GET', path, ALL, { vnet: VNET, ...VIEW }),
    method('GET', `${path}/{subnet}`, ALL, { ...own, ...VIEW }),
    method('POST', path, ALL, {
      ...own,
      type: { type: 'string', enum: ['subnet'] },
      ...SUBNET_PROPERTIES,
      ...LOCK,
    }),
    method('PUT', `${path}/{subnet}`, ALL, { ...own, ...SUBNET_PROPERTIES, ...CHANGE }),
    method('DELETE', `${path}/{subnet}`, ALL, { ...own, ...LOCK }),
  ];
}

function controllerMethods(): MethodSchema[] {
  const path = `${SDN}/controllers`;
  const own = { controller: CONTROLLER };
  const type: PropertySchema = {
    type: 'string',
    enum: ['bgp', 'evpn', 'faucet', 'isis'],
    format: 'pve-configid',
  };
  return [
    method('GET', path, ALL, { ...VIEW, type: { ...type, optional: true } }),
    method('GET', `${path}/{controller}`, allocate('/sdn/controllers/{controller}'), { ...own, ...VIEW }),
    method('POST', path, allocate('/sdn/controllers'), { ...own, type, ...CONTROLLER_PROPERTIES, ...LOCK }),
    method('PUT', `${path}/{controller}`, allocate('/sdn/controllers'), {
      ...own,
      ...CONTROLLER_PROPERTIES,
      ...CHANGE,
    }),
    method('DELETE', `${path}/{controller}`, allocate('/sdn/controllers'), { ...own, ...LOCK }),
  ];
}

const RELEASE = { ...LOCK, 'release-lock': FLAG };

export const SDN_METHODS: readonly MethodSchema[] = [
  method('PUT', SDN, allocate('/sdn'), RELEASE),
  method('POST', `${SDN}/lock`, allocate('/sdn'), { 'allow-pending': FLAG }),
  method('DELETE', `${SDN}/lock`, allocate('/sdn'), { ...LOCK, force: FLAG }),
  method('POST', `${SDN}/rollback`, allocate('/sdn'), RELEASE),
  method('GET', `${SDN}/ipams`, ALL, { type: text() }),
  method('GET', `${SDN}/dns`, ALL, { type: text() }),
  method('POST', `${SDN}/zones`, allocate('/sdn/zones'), {
    zone: ZONE,
    type: {
      type: 'string',
      enum: ['evpn', 'faucet', 'qinq', 'simple', 'vlan', 'vxlan'],
      format: 'pve-configid',
    },
    ...ZONE_PROPERTIES,
    ...LOCK,
  }),
  method('PUT', `${SDN}/zones/{zone}`, allocate('/sdn/zones/{zone}'), {
    zone: ZONE,
    ...ZONE_PROPERTIES,
    ...CHANGE,
  }),
  method('DELETE', `${SDN}/zones/{zone}`, allocate('/sdn/zones/{zone}'), { zone: ZONE, ...LOCK }),
  method('POST', `${SDN}/vnets`, allocate('/sdn/zones/{zone}'), {
    vnet: VNET,
    zone: { type: 'string' },
    ...VNET_PROPERTIES,
    ...LOCK,
  }),
  method('PUT', `${SDN}/vnets/{vnet}`, ALL, { vnet: VNET, zone: text(), ...VNET_PROPERTIES, ...CHANGE }),
  method('DELETE', `${SDN}/vnets/{vnet}`, ALL, { vnet: VNET, ...LOCK }),
  ...subnetMethods(),
  ...controllerMethods(),
  // These take parameters that they do not know.
  ...fabricMethods().map(({ parameters: { properties = {} }, ...rest }) => ({
    ...rest,
    parameters: { properties },
  })),
];
