/** Containers: what they are made of can be read. They are put there by a world or a test, and do nothing. */
import { type Call, type Handlers, PveError } from '../api.js';
import type { ContainerRecord } from '../db.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { digestOfText } from '../section-config.js';

export const containerHandlers: Handlers = {
  'GET /nodes/{node}/lxc': (call) =>
    [...call.pve.db.containers.values()]
      .filter(({ host, vmid }) => host === nodeOf(call) && call.allows(`/vms/${vmid}`, ['VM.Audit']))
      .map(figuresOf),
  'GET /nodes/{node}/lxc/{vmid}/config': (call) => {
    const container = requireContainer(call);
    const snapshot = call.text('snapshot');
    if (snapshot === undefined)
      return { ...container.config, ...container.pending, digest: digestOfText(container.config) };
    const section = container.snapshots?.[snapshot];
    if (!section) throw new PveError(500, `snapshot '${snapshot}' does not exist`);
    return { ...section, digest: digestOfText(container.config) };
  },
  'GET /nodes/{node}/lxc/{vmid}/pending': (call) => {
    const { config, pending = {} } = requireContainer(call);
    return [...new Set([...Object.keys(config), ...Object.keys(pending)])].map((key) => ({
      key,
      ...(config[key] !== undefined && { value: config[key] }),
      ...(pending[key] !== undefined && { pending: pending[key] }),
    }));
  },
  'GET /nodes/{node}/lxc/{vmid}/snapshot': (call) => {
    const { snapshots = {} } = requireContainer(call);
    return [
      ...Object.keys(snapshots).map((name) => ({ name, description: '' })),
      { name: 'current', description: 'You are here!' },
    ];
  },
  'GET /nodes/{node}/lxc/{vmid}/status/current': (call) => figuresOf(requireContainer(call)),
};

function requireContainer(call: Call): ContainerRecord {
  const container = call.pve.db.containers.get(String(vmidOf(call)));
  if (container?.host === nodeOf(call)) return container;
  throw new PveError(
    500,
    `Configuration file 'nodes/${nodeOf(call)}/lxc/${vmidOf(call)}.conf' does not exist`,
  );
}

function figuresOf({ vmid, config, running }: ContainerRecord): Record<string, unknown> {
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
    template: 0,
    ...figuresOf(container),
  };
}
