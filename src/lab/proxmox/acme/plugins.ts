/** How a certificate's challenges are met (pve-manager, PVE/API2/ACMEPlugin.pm). Kept, and never asked to meet one. */
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
} from '../section-config.js';
import { splitList } from '../validation/formats.js';

const PATH = '/cluster/acme/plugins';
/** Every cluster has it, also after it was deleted. */
const BUILT_IN = 'standalone';

const OPTIONS: Readonly<Record<string, SectionOptions>> = {
  dns: sectionOptions('api data nodes disable validation-delay'),
  standalone: sectionOptions('nodes disable'),
};

export const acmePluginHandlers: Handlers = {
  [`GET ${PATH}`]: (call) => {
    const type = call.text('type');
    return [...plugins(call).entries()]
      .filter(([, plugin]) => type === undefined || plugin.type === type)
      .map(([id, plugin]) => shown(call, id, plugin));
  },
  [`GET ${PATH}/{id}`]: (call) => {
    const plugin = plugins(call).get(pluginId(call));
    if (!plugin) throw new PveError(500, `ACME plugin '${pluginId(call)}' not defined`);
    return shown(call, pluginId(call), plugin);
  },
  [`POST ${PATH}`]: (call) =>
    inPluginLock(call, () => {
      const id = pluginId(call);
      if (plugins(call).has(id)) throw new PveError(500, `ACME plugin ID '${id}' already exists`);
      const type = call.text('type') ?? '';
      const settings = checkSection(optionsOf(type), given(call), true);
      call.pve.db.acmePlugins.put(id, { ...withoutEmpty(settings), type });
      return null;
    }),
  [`PUT ${PATH}/{id}`]: (call) =>
    inPluginLock(call, () => {
      const id = pluginId(call);
      assertDigest(call.text('digest'), digest(call));
      const plugin = plugins(call).get(id);
      if (!plugin) throw new PveError(500, `ACME plugin ID '${id}' does not exist`);
      const { type, ...old } = plugin;
      const options = optionsOf(String(type));
      const kept = changeSection(options, old, {}, splitList(call.text('delete') ?? ''));
      const changes = checkSection(options, given(call), false);
      call.pve.db.acmePlugins.put(id, { ...withoutEmpty({ ...kept, ...changes }), type: String(type) });
      return null;
    }),
  [`DELETE ${PATH}/{id}`]: (call) =>
    inPluginLock(call, () => {
      call.pve.db.acmePlugins.delete(pluginId(call));
      return null;
    }),
};

const pluginId = (call: Call) => call.text('id') ?? '';
const optionsOf = (type: string): SectionOptions => OPTIONS[type] ?? new Map();

function inPluginLock(call: Call, change: () => null): Promise<null> {
  return withClusterLock(call.pve, 'priv_acme_plugins_cfg', '', change);
}

function plugins({ pve }: Call): Map<string, Settings> {
  return new Map<string, Settings>([[BUILT_IN, { type: BUILT_IN }], ...pve.db.acmePlugins.entries()]);
}

const digest = (call: Call) => digestOfText([...call.pve.db.acmePlugins.entries()]);

function given(call: Call): Settings {
  const { id: _id, type: _type, delete: _delete, digest: _digest, ...settings } = call.params;
  return settings;
}

/** The data of a DNS plugin comes as base64, so that its lines fit into one value, and is shown as it was. */
function shown(call: Call, id: string, { data, ...plugin }: Settings): Settings {
  const lines = data === undefined ? {} : { data: Buffer.from(String(data), 'base64').toString('utf8') };
  return { ...plugin, ...lines, plugin: id, digest: digest(call) };
}
