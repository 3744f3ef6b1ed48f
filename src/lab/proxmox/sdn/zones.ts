/** Zones (pve-network, PVE/API2/Network/SDN/Zones.pm and its plugins). */
import { type Call, type Handlers, PveError } from '../api.js';
import {
  changeSection,
  checkSection,
  type SectionOptions,
  type Settings,
  sectionOptions,
} from '../section-config.js';
import { splitList } from '../validation/formats.js';
import {
  configOf,
  configured,
  died,
  optionsOf,
  putConfig,
  removeConfig,
  requireSdnQuorum,
  seen,
  seenDigest,
  withSdnLock,
} from './objects.js';

const PATH = '/cluster/sdn/zones';
const NAMES = 'nodes mtu dns reversedns dnszone ipam';

const ZONE_OPTIONS: Readonly<Record<string, SectionOptions>> = {
  evpn: sectionOptions(
    'vrf-vxlan+ controller+ exitnodes exitnodes-local-routing exitnodes-primary advertise-subnets disable-arp-nd-suppression bridge-disable-mac-learning rt-import vxlan-port mac',
    NAMES,
  ),
  qinq: sectionOptions('tag+ bridge+ bridge-disable-mac-learning vlan-protocol', NAMES),
  simple: sectionOptions('dhcp', NAMES),
  vlan: sectionOptions('bridge+ bridge-disable-mac-learning', NAMES),
  vxlan: sectionOptions('peers vxlan-port fabric', NAMES),
};

export const zoneHandlers: Handlers = {
  [`GET ${PATH}`]: (call) =>
    seen(call, 'zones')
      .filter(([zone]) => call.allows(`/sdn/zones/${zone}`, ['SDN.Audit', 'SDN.Allocate'], { any: true }))
      .filter(([, { type }]) => call.text('type') === undefined || call.text('type') === type)
      .map(([zone, config]) => ({ ...config, zone, digest: seenDigest(call, 'zones') })),
  [`GET ${PATH}/{zone}`]: (call) => {
    const zone = zoneId(call);
    const found = seen(call, 'zones').find(([id]) => id === zone)?.[1];
    if (!found) throw new PveError(500, `sdn '${zone}' does not exist`);
    return { ...found, zone, digest: seenDigest(call, 'zones') };
  },
  [`POST ${PATH}`]: create,
  [`PUT ${PATH}/{zone}`]: update,
  [`DELETE ${PATH}/{zone}`]: (call) =>
    withSdnLock(call, 'delete sdn zone object failed', () => {
      const zone = zoneId(call);
      requireZone(call);
      const user = configured(call.pve, 'vnets').find(([, vnet]) => vnet.zone === zone);
      if (user) throw died(`zone ${zone} is used by vnet ${user[0]}`, 'Zones/Plugin', 146);
      removeConfig(call.pve, 'zones', zone);
      return null;
    }),
};

const zoneId = (call: Call) => call.text('zone') ?? '';

function requireZone(call: Call): Settings & { type: string } {
  const zone = configOf(call.pve, 'zones', zoneId(call));
  if (!zone) throw new PveError(500, `sdn '${zoneId(call)}' does not exist`);
  const texts = Object.entries(zone).map(([key, value]) => [
    key,
    typeof value === 'number' ? value : String(value),
  ]);
  return { ...Object.fromEntries(texts), type: String(zone.type) };
}

function create(call: Call): Promise<null> {
  const type = call.text('type') ?? '';
  const zone = zoneId(call);
  const settings = checkSection(ZONE_OPTIONS[type] ?? new Map(), optionsOf(call, 'zone', 'type'), true);
  requireSdnQuorum(call);
  return withSdnLock(call, 'create sdn zone object failed', () => {
    if (configOf(call.pve, 'zones', zone))
      throw new PveError(500, `sdn zone object ID '${zone}' already defined`);
    putConfig(call.pve, 'zones', zone, checked(call, { ...settings, type }, settings));
    return null;
  });
}

function update(call: Call): Promise<null> {
  return withSdnLock(call, 'update sdn zone object failed', () => {
    const { type, ...old } = requireZone(call);
    const options = ZONE_OPTIONS[type] ?? new Map();
    const changes = checkSection(options, optionsOf(call, 'zone'), false);
    const settings = changeSection(options, old, changes, splitList(call.text('delete') ?? ''));
    if ((settings.ipam ?? '') !== (old.ipam ?? '') && hasSubnets(call)) {
      throw PveError.parameter({ ipam: "can't change ipam if a subnet is already defined in this zone" });
    }
    putConfig(call.pve, 'zones', zoneId(call), checked(call, { ...settings, type }, changes));
    return null;
  });
}

function hasSubnets(call: Call): boolean {
  return configured(call.pve, 'subnets').some(([id]) => id.startsWith(`${zoneId(call)}-`));
}

/** What the zone names exists; what its type wants beyond that. */
function checked(call: Call, zone: Settings & { type: string }, given: Settings): Settings {
  const { pve } = call;
  for (const name of ['dns', 'reversedns'] as const) {
    const server = given[name];
    if (server && !configOf(pve, 'dns', String(server)))
      throw PveError.parameter({ [name]: `${server} don't exist` });
  }
  if (given.dnszone && !given.dns) throw PveError.parameter({ dnszone: 'missing dns server' });
  if (given.ipam && given.ipam !== 'pve' && !configOf(pve, 'ipams', String(given.ipam))) {
    throw PveError.parameter({ ipam: `${given.ipam} not existing` });
  }
  if (zone.type === 'vxlan' && Boolean(zone.peers) === Boolean(zone.fabric)) {
    const problem = 'must have exactly one of peers / fabric defined';
    throw PveError.parameter({ peers: problem, fabric: problem });
  }
  return zone.type === 'evpn' ? checkedEvpn(call, zone) : zone;
}

function checkedEvpn(call: Call, zone: Settings & { type: string }): Settings {
  const controller = configOf(call.pve, 'controllers', String(zone.controller));
  if (!controller) throw died(`controller ${zone.controller} don't exist`, 'Zones/EvpnPlugin', 348);
  if (controller.type !== 'evpn') {
    throw died(`${zone.controller} is not a evpn controller type`, 'Zones/EvpnPlugin', 350);
  }
  const other = configured(call.pve, 'zones').find(
    ([id, one]) => id !== zoneId(call) && one['vrf-vxlan'] === zone['vrf-vxlan'],
  );
  if (other)
    throw died(`vrf-vxlan ${zone['vrf-vxlan']} is already declared in ${other[0]}`, 'Zones/EvpnPlugin', 361);
  return { ...zone, mac: zone.mac ?? newMac(call) };
}

function newMac(call: Call): string {
  return `BC:24:11:${call.pve.core.random.hex(6).replace(/(..)(?=.)/g, '$1:')}`.toUpperCase();
}
