/** What a host can be told of itself: names, time zone, options, power (pve-manager, PVE/API2/Nodes.pm). */
import { type Call, type Handlers, PveError } from '../api.js';
import { nodeOf } from '../http/request.js';
import { assertDigest, digestOfText, type Settings } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import { versionOf } from '../version.js';
import { dnsSettings, type NodeSettings, nodeSettings, settingsKey } from './node-settings.js';

export const settingHandlers: Handlers = {
  'GET /nodes/{node}/time': readTime,
  'PUT /nodes/{node}/time': (call) => {
    const timezone = call.text('timezone') ?? '';
    if (!isTimeZone(timezone)) throw PveError.parameter({ timezone: 'No such timezone' });
    return change(call, { timezone });
  },
  'GET /nodes/{node}/dns': (call) => dnsSettings(call.pve, nodeOf(call)),
  'PUT /nodes/{node}/dns': (call) => change(call, { dns: resolverFile(call) }),
  'GET /nodes/{node}/hosts': (call) => ({ data: hostsFile(call), digest: digestOfText(hostsFile(call)) }),
  'POST /nodes/{node}/hosts': (call) => {
    assertDigest(call.text('digest'), digestOfText(hostsFile(call)));
    return change(call, { hosts: call.text('data') ?? '' });
  },
  'GET /nodes/{node}/config': (call) => {
    const property = call.text('property');
    const config = nodeConfig(call);
    if (property === undefined || property === 'all') return config;
    return property in config ? { [property]: config[property] } : {};
  },
  'PUT /nodes/{node}/config': (call) => {
    const { node: _node, delete: remove, digest, ...given } = call.params;
    const { digest: actual, ...old } = nodeConfig(call);
    if (digest && actual) assertDigest(digest, String(actual));
    const gone = splitList(String(remove ?? ''));
    const kept = Object.entries({ ...old, ...given }).filter(([name]) => !gone.includes(name));
    const config = asRead(Object.fromEntries(kept));
    checkDomains(config);
    return change(call, { config });
  },
  'GET /nodes/{node}/report': (call) =>
    `# pveversion --verbose\nproxmox-ve: ${versionOf(call.pve.db.hosts.get(nodeOf(call))).version}\n\n# cat /etc/hosts\n${hostsFile(call)}`,
  'GET /nodes/{node}/query-oci-repo-tags': () => {
    throw new PveError(500, "Install 'skopeo' to list tags from OCI registries.");
  },
};

function settings(call: Call): NodeSettings {
  return nodeSettings(call.pve, nodeOf(call));
}

function change(call: Call, changes: Partial<NodeSettings>): null {
  call.pve.db.settings.put(settingsKey(nodeOf(call)), { ...settings(call), ...changes });
  return null;
}

/** A file that is missing or empty has nothing, not even a digest; one that is there has a description. */
function nodeConfig(call: Call): Settings {
  const { config = {} } = settings(call);
  return Object.keys(config).length === 0 ? {} : { description: '', ...config, digest: digestOfText(config) };
}

/** A domain is certified once; the lab has no ACME plugins. */
function checkDomains(config: Readonly<Settings>): void {
  const seen = new Map<string, string>();
  const plain = /domains=([^,]*)/.exec(String(config.acme ?? ''))?.[1] ?? '';
  for (const name of splitList(plain).map((domain) => domain.toLowerCase())) {
    if (seen.has(name)) throw new PveError(500, `duplicate domain '${name}' in ACME config properties`);
    seen.set(name, 'acme');
  }
  for (const key of [
    'acmedomain0',
    'acmedomain1',
    'acmedomain2',
    'acmedomain3',
    'acmedomain4',
    'acmedomain5',
  ]) {
    if (config[key] === undefined) continue;
    const fields = String(config[key]).split(',');
    const domain = (fields.find((field) => !/^(plugin|alias)=/.test(field)) ?? '').replace(/^domain=/, '');
    const name = domain.toLowerCase();
    const other = seen.get(name);
    if (other !== undefined) {
      throw new PveError(500, `duplicate domain '${name}' in ACME config properties '${key}' and '${other}'`);
    }
    const plugin = fields.find((field) => field.startsWith('plugin='))?.slice('plugin='.length);
    if (plugin !== undefined && plugin !== 'standalone') {
      throw new PveError(500, `plugin '${plugin}' for domain '${name}' not found!`);
    }
    seen.set(name, key);
  }
}

/** Values are read as text; the description is comments, one line each. */
function asRead(config: Readonly<Settings>): Settings {
  const entries = Object.entries(config).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(
    entries
      .map(([name, value]) => [name, name === 'description' ? value.replace(/\n*$/, '\n') : value] as const)
      .filter(([name, value]) => name !== 'description' || value !== '\n'),
  );
}

/** One domain, and each server once, one after the other. */
function resolverFile(call: Call): Settings {
  const domain = /\S+/.exec(call.text('search') ?? '')?.[0];
  const servers = ['dns1', 'dns2', 'dns3'].map((name) => call.text(name) ?? '');
  const written = [...new Set(servers)].filter((server) => server !== '' && server !== '0.0.0.0');
  return {
    ...(domain === undefined ? {} : { search: domain }),
    ...Object.fromEntries(written.map((server, index) => [`dns${index + 1}`, server])),
  };
}

function hostsFile(call: Call): string {
  const { hosts } = settings(call);
  if (hosts !== undefined) return hosts;
  const lines = [...call.pve.db.hosts.values()].map(({ name, bridges }) => {
    const address = bridges.find((bridge) => bridge.address !== undefined)?.address ?? '127.0.0.1';
    return `${address} ${name}.lab ${name}\n`;
  });
  return lines.join('');
}

function readTime(call: Call): unknown {
  const { timezone = 'UTC' } = settings(call);
  const now = call.pve.core.clock.now();
  return {
    timezone,
    time: Math.floor(now / 1000),
    localtime: Math.floor((now + offsetOf(timezone, now)) / 1000),
  };
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    return false;
  }
}

/** Milliseconds that a zone's clocks are ahead of UTC. */
function offsetOf(timeZone: string, now: number): number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '-' ? -size : size;
}
