/** Controllers of zones (pve-network, PVE/API2/Network/SDN/Controllers.pm). */
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

const PATH = '/cluster/sdn/controllers';

const OPTIONS: Readonly<Record<string, SectionOptions>> = {
  evpn: sectionOptions('asn+ peers fabric'),
  bgp: sectionOptions('node+ asn+ peers+ bgp-multipath-as-path-relax ebgp ebgp-multihop loopback'),
  isis: sectionOptions('isis-domain+ isis-net+ isis-ifaces+ node+ loopback'),
};

export const controllerHandlers: Handlers = {
  [`GET ${PATH}`]: (call) =>
    seen(call, 'controllers')
      .filter(([id]) => call.allows(`/sdn/controllers/${id}`, ['SDN.Audit', 'SDN.Allocate'], { any: true }))
      .filter(([, { type }]) => call.text('type') === undefined || call.text('type') === type)
      .map(([controller, config]) => ({ ...config, controller, digest: seenDigest(call, 'controllers') })),
  [`GET ${PATH}/{controller}`]: (call) => {
    const found = seen(call, 'controllers').find(([id]) => id === controllerId(call))?.[1];
    if (!found) throw missing(call);
    return { ...found, controller: controllerId(call), digest: seenDigest(call, 'controllers') };
  },
  [`POST ${PATH}`]: create,
  [`PUT ${PATH}/{controller}`]: update,
  [`DELETE ${PATH}/{controller}`]: (call) =>
    withSdnLock(call, 'delete sdn controller object failed', () => {
      const id = controllerId(call);
      if (!configOf(call.pve, 'controllers', id)) throw missing(call);
      const user = configured(call.pve, 'zones').find(([, zone]) => zone.controller === id);
      if (user) throw died(`controller ${id} is used by ${user[0]}`, 'Controllers/EvpnPlugin', 466);
      removeConfig(call.pve, 'controllers', id);
      return null;
    }),
};

const controllerId = (call: Call) => call.text('controller') ?? '';
const missing = (call: Call) => new PveError(500, `sdn '${controllerId(call)}' does not exist`);

function create(call: Call): Promise<null> {
  const type = call.text('type') ?? '';
  const id = controllerId(call);
  const settings = checkSection(OPTIONS[type] ?? new Map(), optionsOf(call, 'controller', 'type'), true);
  requireSdnQuorum(call);
  return withSdnLock(call, 'create sdn controller object failed', () => {
    if (configOf(call.pve, 'controllers', id)) {
      throw new PveError(500, `sdn controller object ID '${id}' already defined`);
    }
    check(call, type, settings);
    putConfig(call.pve, 'controllers', id, { ...settings, type });
    return null;
  });
}

function update(call: Call): Promise<null> {
  return withSdnLock(call, 'update sdn controller object failed', () => {
    const found = configOf(call.pve, 'controllers', controllerId(call));
    if (!found) throw missing(call);
    const type = String(found.type);
    const options = OPTIONS[type] ?? new Map();
    const changes = checkSection(options, optionsOf(call, 'controller'), false);
    const old = Object.entries(found)
      .filter(([key]) => key !== 'type')
      .map(([key, value]) => [key, typeof value === 'number' ? value : String(value)]);
    const settings = changeSection(
      options,
      Object.fromEntries(old),
      changes,
      splitList(call.text('delete') ?? ''),
    );
    check(call, type, settings);
    putConfig(call.pve, 'controllers', controllerId(call), { ...settings, type });
    return null;
  });
}

/** One EVPN controller for all; it has peers or a fabric. */
function check(call: Call, type: string, settings: Settings): void {
  if (type !== 'evpn') return;
  const other = configured(call.pve, 'controllers').some(
    ([id, one]) => id !== controllerId(call) && one.type === 'evpn',
  );
  if (other) throw died('only 1 global evpn controller can be defined', 'Controllers/EvpnPlugin', 484);
  if (Boolean(settings.peers) === Boolean(settings.fabric)) {
    throw died('must have exactly one of peers / fabric defined', 'Controllers/EvpnPlugin', 489);
  }
}
