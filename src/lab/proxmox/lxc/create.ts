/** Containers made and destroyed (pve-container, PVE/API2/LXC.pm). A template is a name: nothing is unpacked. */
import { parseTags, printPropertyString, printTags } from '../../../formats/proxmox/property-string.js';
import { denied } from '../access/denied.js';
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import type { ContainerRecord } from '../db.js';
import { vmScope } from '../firewall/records.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { newMac } from '../qemu/config/identity.js';
import { forgetAccess } from '../qemu/destroy.js';
import { requireQuorum } from '../quorum.js';
import { requireVolumeAccess } from '../storage/access.js';
import { free, freeAll } from '../storage/allocate.js';
import { findVolume } from '../volumes.js';
import {
  assertUnlocked,
  fieldsOf,
  isMount,
  loadContainer,
  requireContainer,
  saveContainer,
} from './containers.js';
import { checkMounts, mounted, requireRootDir, volumesOf } from './mount-points.js';

const CREATE = 'vzcreate';
const DESTROY = 'vzdestroy';
const CREATE_MS = 3_000;

interface Creation {
  readonly host: string;
  readonly vmid: number;
  readonly settings: Record<string, string>;
  readonly pool?: string;
  readonly start: boolean;
}

export const createHandlers: Handlers = {
  'POST /nodes/{node}/lxc': create,
  'DELETE /nodes/{node}/lxc/{vmid}': (call) => {
    const container = requireContainer(call);
    assertDestroyable(container);
    const args = { host: container.host, vmid: container.vmid, force: call.flag('force') };
    if (container.running && !args.force) {
      throw new PveError(500, `unable to destroy CT ${container.vmid} - container is running`);
    }
    return call.pve.tasks.start(call, {
      node: args.host,
      type: DESTROY,
      id: String(args.vmid),
      args,
      duration: 500,
    });
  },
};

export function defineCreateTasks(pve: Pve): void {
  pve.tasks.define<Creation>(
    CREATE,
    (args, task) => carryOut(pve, args, task),
    ({ vmid }) => {
      pve.db.containers.delete(String(vmid));
      return undefined;
    },
  );
  pve.tasks.define<{ host: string; vmid: number }>(DESTROY, ({ host, vmid }) => {
    const container = loadContainer(pve, host, vmid);
    assertDestroyable(container);
    assertUnlocked(container);
    for (const volume of volumesOf(container.config)) free(pve, host, volume);
    forgetAccess(pve, vmid);
    pve.db.firewalls.delete(vmScope(vmid));
    pve.db.containers.delete(String(vmid));
    return undefined;
  });
}

function assertDestroyable({ vmid, config }: ContainerRecord): void {
  if (config.protection === '1') throw new PveError(500, `can't remove CT ${vmid} - protection mode enabled`);
}

const NOT_OPTIONS = new Set(
  'node vmid ostemplate storage pool start force restore unique password ssh-public-keys bwlimit ignore-unpack-errors ha-managed'.split(
    ' ',
  ),
);

/** As text, in the form that is kept. */
export function configSettings(call: Call, none: ReadonlySet<string>): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [key, value] of Object.entries(call.params)) {
    if (none.has(key)) continue;
    settings[key] = normalised(call.pve, key, String(value));
  }
  return settings;
}

function normalised(pve: Pve, key: string, value: string): string {
  if (/^net\d+$/.test(key)) {
    const { name = '', ...rest } = fieldsOf(key, value);
    const device = { hwaddr: newMac(pve), type: 'veth', ...rest };
    return `name=${name},${printPropertyString(device)}`;
  }
  if (/^dev\d+$/.test(key)) return printPropertyString(fieldsOf(key, value), 'path');
  if (key === 'description') return value === '' || value.endsWith('\n') ? value : `${value}\n`;
  if (key === 'tags') return printTags(parseTags(value));
  return value;
}

function create(call: Call): string {
  const { pve } = call;
  const host = nodeOf(call);
  const vmid = vmidOf(call);
  const pool = call.text('pool');
  requireQuorum(pve);
  if (call.number('unprivileged') === 0) call.require('/', ['Sys.Modify']);
  const other = pve.db.containers.get(String(vmid)) ?? pve.db.vms.get(String(vmid));
  if (other) {
    const kind = pve.db.containers.has(String(vmid)) ? 'CT' : 'VM';
    throw new PveError(
      500,
      `unable to create CT ${vmid}: ${kind} ${vmid} already exists on node '${other.host}'`,
    );
  }
  if (pool !== undefined && !pve.db.pools.has(pool)) throw new PveError(500, `pool '${pool}' does not exist`);
  const allowed =
    call.allows(`/vms/${vmid}`, ['VM.Allocate']) ||
    (pool !== undefined && call.allows(`/pool/${pool}`, ['VM.Allocate']));
  if (!allowed) throw denied();
  const template = call.text('ostemplate') ?? '';
  if (call.flag('restore')) throw new PveError(500, 'the lab restores no containers');
  requireVolumeAccess(call, template, vmid, 'vztmpl');
  const storage = call.text('storage') ?? 'local';
  const settings = configSettings(call, NOT_OPTIONS);
  for (const key of Object.keys(settings).filter(isMount)) {
    if (/^\d+(\.\d+)?$/.test(settings[key] ?? '')) settings[key] = `${storage}:${settings[key]}`;
  }
  const mounts = Object.keys(settings).filter(isMount);
  if (mounts.length > 0 && settings.rootfs === undefined) {
    throw new PveError(500, "mount points configured, but 'rootfs' not set - aborting");
  }
  checkMounts(call, host, settings);
  if (mounts.length === 0) {
    requireRootDir(call, host, storage);
    settings.rootfs = `${storage}:4`;
  }
  settings.unprivileged = call.number('unprivileged') === 0 ? '0' : '1';
  if (!findVolume(pve.db, host, template)) throw new PveError(500, `volume '${template}' does not exist`);
  saveContainer(pve, { vmid, host, running: false, config: { lock: 'create' } });
  const args: Creation = {
    host,
    vmid,
    settings,
    start: call.flag('start'),
    ...(pool === undefined ? {} : { pool }),
  };
  return pve.tasks.start(call, { node: host, type: CREATE, id: String(vmid), args, duration: CREATE_MS });
}

function carryOut(pve: Pve, { host, vmid, settings, pool, start }: Creation, task: TaskContext): undefined {
  const container = loadContainer(pve, host, vmid);
  const config: Record<string, string> = {
    arch: 'amd64',
    hostname: `CT${vmid}`,
    memory: '512',
    ostype: 'unmanaged',
    swap: '512',
    ...settings,
  };
  const made: string[] = [];
  try {
    for (const key of Object.keys(settings).filter(isMount)) {
      config[key] = mounted(pve, container, key, settings[key] ?? '');
      made.push(fieldsOf(key, config[key]).volume ?? '');
    }
  } catch (error) {
    freeAll(pve, host, made);
    pve.db.containers.delete(String(vmid));
    throw error;
  }
  if (config.unprivileged === '0') delete config.unprivileged;
  task.log(`extracting archive of ${config.ostype}`);
  saveContainer(pve, { vmid, host, running: start && config.template !== '1', config });
  if (pool !== undefined) pve.db.pools.update(pool, (old) => ({ ...old, vms: [...old.vms, vmid] }));
  return undefined;
}
