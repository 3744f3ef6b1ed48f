/** Copies and templates of containers (pve-container, PVE/API2/LXC.pm). Clones are full copies. */
import { printPropertyString } from '../../../formats/proxmox/property-string.js';
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import { newMac } from '../qemu/config/identity.js';
import { copyVolume } from '../storage/allocate.js';
import { splitVolumeId } from '../storage/volume-name.js';
import { findVolume, volumeId } from '../volumes.js';
import {
  assertUnlocked,
  fieldsOf,
  isMount,
  isVolumeId,
  loadContainer,
  mountLine,
  requireContainer,
  saveContainer,
} from './containers.js';
import { requireRootDir, volumesOf } from './mount-points.js';

const CLONE = 'vzclone';

interface Clone {
  readonly host: string;
  readonly vmid: number;
  readonly newid: number;
  readonly target: string;
  readonly storage?: string;
  readonly pool?: string;
  readonly settings: Record<string, string>;
}

export const cloneHandlers: Handlers = {
  'POST /nodes/{node}/lxc/{vmid}/clone': clone,
  'POST /nodes/{node}/lxc/{vmid}/template': (call) => {
    const container = requireContainer(call);
    if (container.config.template === '1') {
      throw new PveError(500, `you can't convert a CT to template if the CT is a template`);
    }
    assertUnlocked(container);
    if (container.running) throw new PveError(500, `you can't convert a CT to template if the CT is running`);
    saveContainer(call.pve, { ...container, config: { ...container.config, template: '1' } });
    return null;
  },
};

export function defineCloneTasks(pve: Pve): void {
  pve.tasks.define<Clone>(
    CLONE,
    (args, task) => carryOut(pve, args, task),
    ({ newid }) => {
      pve.db.containers.delete(String(newid));
      return undefined;
    },
  );
}

function clone(call: Call): string {
  const { pve } = call;
  const { vmid, host, config, running } = requireContainer(call);
  const newid = call.number('newid') ?? 0;
  const target = call.text('target') ?? host;
  const storage = call.text('storage');
  const pool = call.text('pool');
  if (pool !== undefined && !pve.db.pools.has(pool)) throw new PveError(500, `pool '${pool}' does not exist`);
  if (storage !== undefined) requireRootDir(call, target, storage);
  const full = call.number('full') ?? (config.template === '1' ? 0 : 1);
  const [volume] = volumesOf(config);
  // No volume of a container is ever a base that another could be linked to.
  if (full === 0) throw new PveError(500, `Linked clone feature for '${volume}' is not available`);
  if (running && call.text('snapname') === undefined) {
    throw new PveError(500, 'Cannot do full clones on a running container without snapshots');
  }
  if (pve.db.containers.has(String(newid)) || pve.db.vms.has(String(newid))) {
    throw new PveError(500, `unable to create CT ${newid}: config file already exists`);
  }
  const settings: Record<string, string> = {};
  for (const key of ['hostname', 'description'] as const) {
    const value = call.text(key);
    if (value !== undefined) settings[key] = value;
  }
  saveContainer(pve, { vmid: newid, host: target, running: false, config: { lock: 'create' } });
  const args: Clone = {
    host,
    vmid,
    newid,
    target,
    settings,
    ...(storage === undefined ? {} : { storage }),
    ...(pool === undefined ? {} : { pool }),
  };
  return pve.tasks.start(call, { node: host, type: CLONE, id: String(vmid), args, duration: 3_000 });
}

function carryOut(pve: Pve, args: Clone, task: TaskContext): undefined {
  const { host, vmid, newid, target, settings } = args;
  const source = loadContainer(pve, host, vmid);
  const config: Record<string, string> = {};
  for (const [key, line] of Object.entries(source.config)) {
    if (/^(template|lock|parent|snaptime|unused\d+)$/.test(key)) continue;
    if (isMount(key)) config[key] = copied(pve, args, key, line, task);
    else if (/^net\d+$/.test(key)) {
      const { name = '', ...rest } = fieldsOf(key, line);
      config[key] = `name=${name},${printPropertyString({ ...rest, hwaddr: newMac(pve) })}`;
    } else config[key] = line;
  }
  saveContainer(pve, { vmid: newid, host: target, running: false, config: { ...config, ...settings } });
  if (args.pool !== undefined)
    pve.db.pools.update(args.pool, (old) => ({ ...old, vms: [...old.vms, newid] }));
  return undefined;
}

function copied(
  pve: Pve,
  { host, target, newid, storage }: Clone,
  key: string,
  line: string,
  task: TaskContext,
): string {
  const fields = fieldsOf(key, line);
  const { volume = '' } = fields;
  if (!isVolumeId(volume)) return line;
  const found = findVolume(pve.db, host, volume);
  if (!found) throw new PveError(500, `volume '${volume}' does not exist`);
  task.log(`create full clone of mountpoint ${key} (${volume})`);
  const place = storage ?? splitVolumeId(volume)?.storage ?? '';
  const made = copyVolume(
    pve,
    { ...found, file: { path: found.path, format: found.format } },
    { host: target, storage: place, vmid: newid, size: found.size },
    (text) => task.log(text),
  );
  return mountLine({ ...fields, volume: volumeId(made) });
}
