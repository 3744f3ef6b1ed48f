/** VNets and who may see them (pve-network, PVE/API2/Network/SDN/Vnets.pm). */
import { type Call, type Handlers, PveError } from '../api.js';
import {
  changeSection,
  checkSection,
  type Settings,
  sectionOptions,
  withoutType,
} from '../section-config.js';
import { splitList } from '../validation/formats.js';
import {
  configOf,
  configured,
  optionsOf,
  putConfig,
  removeConfig,
  requireSdnQuorum,
  type SdnConfig,
  seen,
  seenDigest,
  withSdnLock,
} from './objects.js';

const PATH = '/cluster/sdn/vnets';
const OPTIONS = sectionOptions('zone+ tag alias vlanaware isolate-ports');

export const vnetHandlers: Handlers = {
  [`GET ${PATH}`]: (call) =>
    seen(call, 'vnets')
      .filter(([id, vnet]) => maySee(call, id, zoneOf(vnet)))
      .map(([vnet, config]) => ({ ...config, vnet, digest: seenDigest(call, 'vnets') })),
  [`GET ${PATH}/{vnet}`]: (call) => {
    const found = seen(call, 'vnets').find(([id]) => id === vnetId(call))?.[1];
    if (!found) throw missing(vnetId(call));
    requireVnetRight(call, vnetId(call), ['SDN.Audit', 'SDN.Allocate'], zoneOf(found));
    return { ...found, vnet: vnetId(call), digest: seenDigest(call, 'vnets') };
  },
  [`POST ${PATH}`]: create,
  [`PUT ${PATH}/{vnet}`]: update,
  [`DELETE ${PATH}/{vnet}`]: (call) => {
    requireVnetAccess(call, ['SDN.Allocate']);
    return withSdnLock(call, 'delete sdn vnet object failed', () => {
      if (!configOf(call.pve, 'vnets', vnetId(call))) throw missing(vnetId(call));
      if (hasSubnets(call)) throw PveError.parameter({ vnet: "Can't delete vnet if subnets exists" });
      removeConfig(call.pve, 'vnets', vnetId(call));
      return null;
    });
  },
};

const vnetId = (call: Call) => call.text('vnet') ?? '';
const missing = (vnet: string) => new PveError(500, `sdn vnet '${vnet}' does not exist`);

/** A new one has its zone among what waits. */
function zoneOf(vnet: Readonly<Record<string, unknown>>): string {
  const waiting = vnet.pending;
  const next =
    typeof waiting === 'object' && waiting !== null && 'zone' in waiting ? waiting.zone : undefined;
  return String(vnet.zone ?? next ?? '');
}

function maySee(call: Call, vnet: string, zone: string): boolean {
  return call.allows(`/sdn/zones/${zone}/${vnet}`, ['SDN.Audit', 'SDN.Allocate'], { any: true });
}

function requireVnetRight(call: Call, vnet: string, rights: readonly string[], zone: string): void {
  call.require(`/sdn/zones/${zone}/${vnet}`, rights, { any: true });
}

/** The right on the VNet that a request names, which has to exist. */
export function requireVnetAccess(call: Call, rights: readonly string[]): SdnConfig {
  const vnet = configOf(call.pve, 'vnets', vnetId(call));
  if (!vnet) throw missing(vnetId(call));
  requireVnetRight(call, vnetId(call), rights, String(vnet.zone));
  return vnet;
}

function hasSubnets(call: Call): boolean {
  return configured(call.pve, 'subnets').some(([, subnet]) => subnet.vnet === vnetId(call));
}

function create(call: Call): Promise<null> {
  requireSdnQuorum(call);
  return withSdnLock(call, 'create sdn vnet object failed', () => {
    const settings = checkSection(OPTIONS, optionsOf(call, 'vnet', 'type'), true);
    const id = vnetId(call);
    if (configOf(call.pve, 'vnets', id))
      throw new PveError(500, `sdn vnet object ID '${id}' already defined`);
    putConfig(call.pve, 'vnets', id, { ...checked(call, settings), type: 'vnet' });
    return null;
  });
}

function update(call: Call): Promise<null> {
  const { type: _type, ...old } = requireVnetAccess(call, ['SDN.Allocate']);
  return withSdnLock(call, 'update sdn vnet object failed', () => {
    const changes = checkSection(OPTIONS, optionsOf(call, 'vnet', 'type'), false);
    const texts = Object.entries(old).map(([key, value]) => [
      key,
      typeof value === 'number' ? value : String(value),
    ]);
    const settings = changeSection(
      OPTIONS,
      Object.fromEntries(texts),
      changes,
      splitList(call.text('delete') ?? ''),
    );
    if (settings.zone !== old.zone && hasSubnets(call)) {
      throw PveError.parameter({ zone: "can't change zone if subnets exist" });
    }
    putConfig(call.pve, 'vnets', vnetId(call), { ...checked(call, settings), type: 'vnet' });
    return null;
  });
}

const LARGEST_VLAN = 4096;
const LARGEST_VXLAN = 16_777_216;

/** What the zone's type says of tags (`vnet_update_hook`), and what subnets forbid. */
function checked(call: Call, vnet: Settings): Settings {
  const zone = configOf(call.pve, 'zones', String(vnet.zone));
  if (!zone) throw withoutType();
  const { tag } = vnet;
  const bad = (problem: string) => PveError.parameter({ tag: problem });
  const others = configured(call.pve, 'vnets').filter(([id]) => id !== vnetId(call));
  const beside = others.filter(([, other]) => other.zone === vnet.zone);
  switch (zone.type) {
    case 'simple':
      if (tag !== undefined) throw bad('vlan tag is not allowed on simple zone');
      break;
    case 'vlan': {
      if (tag === undefined) throw bad('missing vlan tag');
      if (Number(tag) > LARGEST_VLAN) throw bad('vlan tag max value is 4096');
      const taken = beside.find(([, other]) => other.tag === tag);
      if (taken) throw bad(`tag ${tag} already exist in vnet ${taken[0]}`);
      break;
    }
    case 'qinq': {
      if (Number(tag) > LARGEST_VLAN) throw bad('VLAN tag maximal value is 4096');
      const taken = beside.find(([, other]) => (other.tag ?? 0) === (tag ?? 0));
      if (taken && tag) throw bad(`tag ${tag} already exist in zone ${vnet.zone} vnet ${taken[0]}`);
      if (taken) throw bad(`tag-less vnet already exists in zone ${vnet.zone} vnet ${taken[0]}`);
      break;
    }
    default:
      checkVxlan(call, vnet, String(zone.type), others);
  }
  if (vnet.vlanaware && hasSubnets(call)) {
    throw PveError.parameter({ vlanaware: 'vlanaware vnet is not compatible with subnets' });
  }
  return vnet;
}

function checkVxlan(call: Call, vnet: Settings, type: string, others: readonly [string, SdnConfig][]): void {
  const { tag } = vnet;
  if (tag === undefined) throw PveError.parameter({ tag: 'missing vxlan tag' });
  if (Number(tag) > LARGEST_VXLAN) throw PveError.parameter({ tag: 'vxlan tag max value is 16777216' });
  if (type === 'evpn' && vnet.vlanaware) {
    throw PveError.parameter({ 'vlan-aware': "vlan-aware option can't be enabled with evpn" });
  }
  const taken = others.find(([, other]) => {
    const kind = configOf(call.pve, 'zones', String(other.zone))?.type;
    return (kind === 'vxlan' || kind === 'evpn') && other.tag === tag;
  });
  if (taken) {
    throw PveError.parameter({
      tag: `vxlan tag ${tag} already exist in vnet ${taken[0]} in zone ${taken[1].zone} `,
    });
  }
}
