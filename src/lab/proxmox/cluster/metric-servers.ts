/** Servers that metrics go to (pve-manager, PVE/API2/Cluster/MetricServer.pm). They are kept and never sent anything. */
import { type Call, type Handlers, PveError } from '../api.js';
import { withClusterLock } from '../quorum.js';
import {
  assertDigest,
  changeSection,
  checkSection,
  digestOfText,
  type SectionOptions,
  type Settings,
  sectionOptions,
  withoutEmpty,
  withoutType,
} from '../section-config.js';
import { splitList } from '../validation/formats.js';

const PATH = '/cluster/metrics/server';

const OPTIONS: Readonly<Record<string, SectionOptions>> = {
  graphite: sectionOptions('server+ port mtu proto timeout path disable'),
  influxdb: sectionOptions(
    'server+ port+ mtu disable organization bucket token influxdbproto timeout max-body-size api-path-prefix verify-certificate',
  ),
  opentelemetry: sectionOptions(
    'server+ port disable otel-protocol otel-path otel-timeout otel-headers otel-verify-ssl otel-max-body-size otel-resource-attributes otel-compression',
  ),
};

export const metricHandlers: Handlers = {
  'GET /cluster/metrics': () => [{ name: 'server' }],
  [`GET ${PATH}`]: ({ pve }) =>
    [...pve.db.metricServers.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, { disable = 0, type, server, port }]) => ({
        id,
        disable,
        type,
        server,
        ...(port && { port }),
      })),
  [`GET ${PATH}/{id}`]: (call) => {
    const found = call.pve.db.metricServers.get(serverId(call));
    if (!found) throw new PveError(500, `status server entry '${serverId(call)}' does not exist`);
    return found;
  },
  [`POST ${PATH}/{id}`]: create,
  [`PUT ${PATH}/{id}`]: update,
  [`DELETE ${PATH}/{id}`]: (call) =>
    withClusterLock(call.pve, 'status_cfg', '', () => {
      if (!call.pve.db.metricServers.has(serverId(call))) throw withoutType();
      call.pve.db.metricServers.delete(serverId(call));
      return null;
    }),
};

const serverId = (call: Call) => call.text('id') ?? '';

/** The token lies in a file of its own. */
function given(call: Call): Settings {
  const { id: _id, type: _type, token: _token, delete: _delete, digest: _digest, ...settings } = call.params;
  return settings;
}

function create(call: Call): Promise<null> {
  const id = serverId(call);
  const type = call.text('type') ?? '';
  const options = OPTIONS[type];
  if (!options) throw new PveError(500, `unknown section type '${type}'`);
  return withClusterLock(call.pve, 'status_cfg', '', () => {
    const { metricServers } = call.pve.db;
    if (metricServers.has(id)) throw new PveError(500, `Metric server '${id}' already exists`);
    metricServers.put(id, { ...withoutEmpty(checkSection(options, given(call), true)), type });
    return null;
  });
}

function update(call: Call): Promise<null> {
  return withClusterLock(call.pve, 'status_cfg', '', () => {
    const { metricServers } = call.pve.db;
    assertDigest(call.text('digest'), digestOfText([...metricServers.entries()]));
    const found = metricServers.get(serverId(call));
    if (!found) throw new PveError(500, `no such server '${serverId(call)}'`);
    const { type, ...old } = found;
    const options = OPTIONS[String(type)] ?? new Map();
    const changes = checkSection(options, given(call), false);
    const settings = changeSection(options, old, changes, splitList(call.text('delete') ?? ''));
    metricServers.put(serverId(call), { ...withoutEmpty(settings), type: String(type) });
    return null;
  });
}
