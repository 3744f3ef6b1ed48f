/** Containers: made, changed, started, copied and destroyed; nothing runs in them (pve-container). */
import type { Call, Handlers, Pve } from '../api.js';
import { PveError } from '../api.js';
import type { ContainerRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { snapshotOf } from '../qemu/vms.js';
import { digestOfText } from '../section-config.js';
import { cloneHandlers, defineCloneTasks } from './clone.js';
import { applyPending, requireContainer, shownConfig } from './containers.js';
import { createHandlers, defineCreateTasks } from './create.js';
import { definePowerTasks, powerHandlers } from './power.js';
import { updateHandlers } from './update.js';

export const containerHandlers: Handlers = {
  'GET /nodes/{node}/lxc': (call) =>
    [...call.pve.db.containers.values()]
      .filter(({ host, vmid }) => host === nodeOf(call) && call.allows(`/vms/${vmid}`, ['VM.Audit']))
      .map((container) => figuresOf(call, container)),
  'GET /nodes/{node}/lxc/{vmid}': () =>
    ['config', 'pending', 'status', 'snapshot', 'firewall', 'clone', 'template', 'resize', 'interfaces'].map(
      (subdir) => ({ subdir }),
    ),
  'GET /nodes/{node}/lxc/{vmid}/config': readConfig,
  'GET /nodes/{node}/lxc/{vmid}/pending': (call) => {
    const { config, pending = {}, pendingDelete = [] } = requireContainer(call);
    return [...new Set([...Object.keys(config), ...Object.keys(pending)])].map((key) => ({
      key,
      ...(config[key] !== undefined && { value: config[key] }),
      ...(pending[key] !== undefined && { pending: pending[key] }),
      ...(pendingDelete.includes(key) && { delete: 1 }),
    }));
  },
  'GET /nodes/{node}/lxc/{vmid}/snapshot': (call) => {
    const { snapshots = {} } = requireContainer(call);
    return [
      ...Object.keys(snapshots).map((name) => ({ name, description: '' })),
      { name: 'current', description: 'You are here!' },
    ];
  },
  'GET /nodes/{node}/lxc/{vmid}/status/current': (call) => figuresOf(call, requireContainer(call)),
  ...cloneHandlers,
  ...createHandlers,
  ...powerHandlers,
  ...updateHandlers,
};

export function defineContainerTasks(pve: Pve): void {
  defineCloneTasks(pve);
  defineCreateTasks(pve);
  definePowerTasks(pve);
}

function readConfig(call: Call): unknown {
  const container = requireContainer(call);
  const digest = digestOfText(container.config);
  const snapshot = call.text('snapshot');
  if (snapshot === undefined) {
    const { config } = call.flag('current') ? container : applyPending(container);
    return { ...shownConfig(config), digest };
  }
  const section = snapshotOf(container, snapshot);
  if (!section) throw new PveError(500, `snapshot '${snapshot}' does not exist`);
  return { ...shownConfig(section), digest };
}

const MEBIBYTE = 1024 ** 2;

function figuresOf({ pve }: Pick<Call, 'pve'>, container: ContainerRecord): Record<string, unknown> {
  const { vmid, config, running, since } = container;
  const uptime = running && since !== undefined ? Math.floor((pve.core.clock.now() - since) / 1000) : 0;
  return {
    ...nameOf(container),
    cpus: Number(config.cores ?? 1),
    maxmem: Number(config.memory ?? 512) * MEBIBYTE,
    maxswap: Number(config.swap ?? 512) * MEBIBYTE,
    uptime,
    vmid,
    ...(config.template === '1' && { template: 1 }),
  };
}

function nameOf({ vmid, config, running }: ContainerRecord): Record<string, unknown> {
  return {
    vmid,
    type: 'lxc',
    name: config.hostname ?? `CT${vmid}`,
    status: running ? 'running' : 'stopped',
    ...(config.tags !== undefined && { tags: config.tags }),
    ...(config.lock !== undefined && { lock: config.lock }),
  };
}

/** As the cluster's list of everything has it. */
export function containerResource(container: ContainerRecord): Record<string, unknown> {
  return {
    id: `lxc/${container.vmid}`,
    node: container.host,
    template: container.config.template === '1' ? 1 : 0,
    ...nameOf(container),
  };
}
