/** Configs of containers changed and volumes grown (pve-container, PVE/API2/LXC/Config.pm). */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import type { ContainerRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import {
  assertUnlocked,
  fieldsOf,
  isMount,
  requireContainer,
  saveContainer,
  waitsForStart,
} from './containers.js';
import { configSettings } from './create.js';
import { checkMounts, mounted, withUnused } from './mount-points.js';

const NOT_OPTIONS = new Set(['node', 'vmid', 'delete', 'digest', 'revert']);

export const updateHandlers: Handlers = {
  'PUT /nodes/{node}/lxc/{vmid}/config': update,
  'PUT /nodes/{node}/lxc/{vmid}/resize': (call) => {
    const { vmid, host, config } = requireContainer(call);
    const disk = call.text('disk') ?? '';
    assertDigest(call.text('digest'), digestOfText(config));
    if (config[disk] === undefined) throw new PveError(500, `no such volume '${disk}'`);
    const args = { host, vmid, disk, size: call.text('size') ?? '', skipLock: false, user: call.who.id };
    return call.pve.tasks.start(call, { node: host, type: 'resize', id: String(vmid), args, duration: 500 });
  },
};

function update(call: Call): null {
  const { pve } = call;
  const container = requireContainer(call);
  assertDigest(call.text('digest'), digestOfText(container.config));
  assertUnlocked(container);
  const gone = splitList(call.text('delete') ?? '');
  const settings = configSettings(call, NOT_OPTIONS);
  if (gone.length === 0 && Object.keys(settings).length === 0 && call.text('revert') === undefined) {
    throw new PveError(500, 'no options specified');
  }
  if (
    settings.unprivileged !== undefined &&
    (settings.unprivileged === '1') !== (container.config.unprivileged === '1')
  ) {
    throw new PveError(500, "unable to modify read-only option: 'unprivileged'");
  }
  delete settings.unprivileged;
  for (const key of gone) {
    if (key === 'rootfs' || key === 'unprivileged')
      throw new PveError(500, `unable to delete required option '${key}'`);
    if (settings[key] !== undefined) {
      throw PveError.parameter({ delete: `you can't use '-${key}' and -delete ${key}' at the same time` });
    }
  }
  checkMounts(call, nodeOf(call), settings);
  saveContainer(pve, changed(pve, container, settings, gone));
  return null;
}

function changed(
  pve: Pve,
  container: ContainerRecord,
  settings: Readonly<Record<string, string>>,
  gone: readonly string[],
): ContainerRecord {
  let config = { ...container.config };
  const pending: Record<string, string> = { ...container.pending };
  const later = new Set(container.pendingDelete ?? []);
  for (const key of gone) {
    delete pending[key];
    if (container.running && waitsForStart(key) && config[key] !== undefined) later.add(key);
    else {
      const old = config[key];
      delete config[key];
      if (isMount(key) && old !== undefined) config = withUnused(config, fieldsOf(key, old).volume);
    }
  }
  for (const [key, value] of Object.entries(settings)) {
    later.delete(key);
    if (container.running && waitsForStart(key) && config[key] !== value) pending[key] = value;
    else {
      const old = config[key];
      config[key] = isMount(key) ? mounted(pve, container, key, value) : value;
      const [was, is] = [old, config[key]].map((line) =>
        isMount(key) && line ? fieldsOf(key, line).volume : '',
      );
      if (was && was !== is) config = withUnused(config, was);
      if (isMount(key)) config = withoutUnused(config, is ?? '');
    }
  }
  const { pending: _pending, pendingDelete: _later, ...rest } = container;
  return {
    ...rest,
    config,
    ...(Object.keys(pending).length > 0 && { pending }),
    ...(later.size > 0 && { pendingDelete: [...later] }),
  };
}

/** A volume that is mounted again is no longer unused. */
function withoutUnused(config: Record<string, string>, volume: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config).filter(([key, value]) => !/^unused\d+$/.test(key) || value !== volume),
  );
}
