/** What a host tells of itself; recordings `node-hardware`, `cluster-overview`, `download-url`. */
import { type Call, type FetchedFile, type Handlers, PveError } from '../api.js';
import { hostFigures, hostUptime, ROOT_DISK } from '../cluster/host-figures.js';
import { nodeResource } from '../cluster/resources.js';
import type { HostRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { decode } from '../http/request-parameters.js';
import { versionOf } from '../version.js';
import { allGuestHandlers, wakeHandlers } from './all-guests.js';
import { capabilityHandlers } from './capabilities.js';
import { hardwareHandlers } from './hardware.js';
import { hostCommandHandlers } from './host-command.js';
import { networkHandlers } from './network.js';
import { rrdHandlers } from './rrd-data.js';
import { settingHandlers } from './settings.js';

export const nodeHandlers: Handlers = {
  'GET /nodes': (call) =>
    [...call.pve.db.hosts.values()].map((host) => ({
      ...nodeResource(call, host),
      ssl_fingerprint: call.pve.fingerprint(host.name),
    })),
  'GET /nodes/{node}': () => SUBDIRS.map((name) => ({ name })),
  'GET /nodes/{node}/version': (call) => versionOf(call.pve.db.hosts.get(nodeOf(call))),
  'GET /nodes/{node}/status': readStatus,
  'GET /nodes/{node}/query-url-metadata': queryUrl,
  'GET /': () => ROOT.map((subdir) => ({ subdir })),
  'GET /nodes/{node}/netstat': () => [],
  ...allGuestHandlers,
  ...capabilityHandlers,
  ...hostCommandHandlers,
  ...wakeHandlers,
  ...hardwareHandlers,
  ...networkHandlers,
  ...rrdHandlers,
  ...settingHandlers,
};

const ROOT = ['version', 'cluster', 'nodes', 'storage', 'access', 'pools'];

const SUBDIRS =
  'aplinfo apt capabilities ceph certificates config disks dns firewall hardware hosts journal lxc migrateall netstat network qemu query-oci-repo-tags query-url-metadata replication report rrd rrddata scan sdn services spiceshell startall status stopall storage subscription suspendall syslog tasks termproxy time version vncshell vzdump wakeonlan'.split(
    ' ',
  );

function requireHost(call: Call): HostRecord {
  const host = call.pve.db.hosts.get(nodeOf(call));
  if (!host) throw new PveError(500, `no such cluster node '${nodeOf(call)}'`);
  return host;
}

function readStatus(call: Call): unknown {
  const host = requireHost(call);
  const { cpu = 0, mem = 0, maxmem = 0 } = hostFigures(call.pve, host);
  const used = Math.floor(ROOT_DISK / 10);
  return {
    uptime: hostUptime(call.pve),
    idle: 0,
    cpu,
    wait: 0,
    loadavg: ['0.10', '0.10', '0.10'],
    cpuinfo: {
      cpus: host.cpus,
      cores: host.cpus,
      sockets: 1,
      model: 'lab',
      mhz: '2000.000',
      hvm: '1',
      flags: '',
      user_hz: 100,
    },
    memory: { total: maxmem, used: mem, free: maxmem - mem, available: maxmem - mem },
    swap: { total: 0, used: 0, free: 0 },
    ksm: { shared: 0 },
    rootfs: { total: ROOT_DISK, used, free: ROOT_DISK - used, avail: ROOT_DISK - used },
    kversion: 'Linux 7.0.0-1-pve',
    'current-kernel': { sysname: 'Linux', release: '7.0.0-1-pve', version: '#1', machine: 'x86_64' },
    'boot-info': { mode: 'efi', secureboot: 0 },
    pveversion: `pve-manager/${versionOf(host).version}/${versionOf(host).repoid}`,
  };
}

async function queryUrl(call: Call): Promise<unknown> {
  const url = call.text('url') ?? '';
  const file = await look(call, url);
  const name = fileName(url);
  return {
    ...(name === '' ? {} : { filename: name }),
    size: file.size,
    ...(file.contentType === '' ? {} : { mimetype: file.contentType.split(';', 1)[0] }),
  };
}

/** Whatever keeps the file from being there is an answer of the server's to Proxmox. */
async function look(call: Call, url: string): Promise<FetchedFile> {
  const invalid = (answer: string) => new PveError(500, `invalid server response: '${answer}'`);
  let file: FetchedFile;
  try {
    file = await call.pve.fetchUrl(url, { verify: call.number('verify-certificates') !== 0 });
  } catch (error) {
    throw error instanceof PveError ? invalid(`500 ${error.message}`) : error;
  }
  if (file.status !== 200) throw invalid(`${file.status} ${file.reason}`);
  return file;
}

function fileName(url: string): string {
  const last = new URL(url).pathname.split('/').pop() ?? '';
  return decode(last).replace(/[^a-zA-Z0-9_.-]/g, '_');
}
