/**
 * What happens to each node of a host that goes into maintenance. It keeps running elsewhere where everything it has is
 * on shared storage; it moves with its disks where copying them is worth it; else it stays, off until the host returns.
 */

import type { Design, NodeDesign } from '../../design/design.js';
import { formatDuration } from '../../model/duration.js';
import { compareNaturally } from '../../model/natural-order.js';
import { bytes, formatSize } from '../../model/size.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { drainOf, nodesOnHost } from '../facts/drained-nodes.js';
import { vmView } from '../facts/view-of-vm.js';
import { haStateOf } from '../ha/ha-states.js';
import type { Problem } from '../plan.js';
import { copySeconds } from '../roll/estimated-downtime.js';
import { migrationRoute } from '../vms/migration-route.js';
import { nodeOn } from '../vms/node-host.js';
import { obstaclesToLive } from '../vms/plan-host-move.js';
import { HostRoom } from './host-room.js';

export interface DrainRequest {
  readonly host: string;
  /** How long the host will be away; decides whether copying is worth it. */
  readonly forSeconds: number;
  /** Nodes that stay, and nodes that go, whatever it costs. */
  readonly stay: readonly string[];
  readonly move: readonly string[];
}

export interface DrainDecision {
  readonly node: string;
  readonly role: NodeDesign['role'];
  /** `live`: keeps running meanwhile. `move`: stopped, copied, started there. `stay`: off until the host returns. */
  readonly way: 'live' | 'move' | 'stay';
  readonly to?: string;
  readonly why: string;
  /** What is copied. */
  readonly bytes: number;
}

/** In the order in which they go: workers first. */
export function decideDrain(
  design: Design,
  observed: Observed,
  request: DrainRequest,
): { readonly decisions: readonly DrainDecision[]; readonly problems: readonly Problem[] } {
  const nodes = nodesOnHost(design, observed, request.host);
  const room = new HostRoom(design, observed, request.host);
  const problems: Problem[] = unknownNames(nodes, request);
  const decisions: DrainDecision[] = [];
  // Large ones first find a place where small ones still do.
  for (const node of [...nodes].sort(
    (a, b) => memoryOf(b) - memoryOf(a) || compareNaturally(a.name, b.name),
  )) {
    const decided = decide(observed, request, node, room);
    if ('code' in decided) problems.push(decided);
    else decisions.push(decided);
  }
  return { decisions: decisions.sort(inOrderOfGoing), problems };
}

function decide(
  observed: Observed,
  request: DrainRequest,
  node: NodeDesign,
  room: HostRoom,
): DrainDecision | Problem {
  const base = { node: node.name, role: node.role, bytes: 0 } as const;
  const talos = visibleVm(observed, node.talosVm.vmid);
  const view = talos && vmView(talos);
  if (request.stay.includes(node.name)) return { ...base, way: 'stay', why: 'requested' };
  if (!talos || !view) return { ...base, way: 'stay', why: 'its VM cannot be read' };
  // One that a run which was cut off has shut down is moved on: it would stay off for no reason of its own.
  const isResumed = drainOf(node, observed)?.host === request.host;
  if (talos.status !== 'running' && !isResumed && !request.move.includes(node.name))
    return {
      ...base,
      way: 'stay',
      why: `it is off already${isDisabled(observed, talos.vmid) ? ' (disabled in HA)' : ''}`,
    };
  const bound = boundTo(view.effective);
  if (bound !== undefined && !request.move.includes(node.name)) return { ...base, way: 'stay', why: bound };
  const place = room.placeFor(node);
  if (!('host' in place) && place.onlyHa && !request.move.includes(node.name))
    return { ...base, way: 'stay', why: place.why };
  if (!('host' in place)) {
    return {
      code: 'no-room',
      scope: 'plan',
      node: node.name,
      message: `${node.name} has nowhere to go: ${place.why}`,
      advice: 'make room there, or leave it off until the host returns, with --stay',
    };
  }
  const obstacles = obstaclesToLive(view, { observed }, place.host);
  const size = copied(observed, nodeOn(node, place.host));
  const live = obstacles.length === 0 && size === 0;
  const seconds = copySeconds(size);
  if (!live && !request.move.includes(node.name) && seconds > request.forSeconds / 4) {
    const why = `copying ${formatSize(bytes(size))} may take ${formatDuration(Math.ceil(seconds))}, more than a quarter of ${formatDuration(request.forSeconds)}`;
    return { ...base, way: 'stay', why };
  }
  room.take(place.host, node);
  return {
    ...base,
    way: live ? 'live' : 'move',
    to: place.host,
    bytes: size,
    why: live
      ? 'all its disks are on shared storage'
      : obstacles.join(', ') || 'the disks of its data VM are copied',
  };
}

function isDisabled(observed: Observed, vmid: number): boolean {
  return haStateOf(observed, vmid)?.state === 'disabled';
}

/** What ties it to this host in any case. */
function boundTo(effective: Readonly<Record<string, string>>): string | undefined {
  const device = Object.keys(effective).find(
    (key) => /^(hostpci|usb)\d+$/.test(key) && effective[key] !== 'spice',
  );
  if (device !== undefined) return `it uses a device of the host (${device})`;
  return /^(cputype=)?(host|max)(,|$)/.test(effective.cpu ?? '')
    ? 'its CPU type is that of the host'
    : undefined;
}

/** By both VMs, to the host on which `node` stands. */
function copied(observed: Observed, node: NodeDesign): number {
  const vmids = [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])];
  return vmids
    .flatMap((vmid) => visibleVm(observed, vmid) ?? [])
    .filter((vm) => vm.host !== node.host)
    .flatMap((vm) => vmView(vm) ?? [])
    .flatMap((view) => Object.values(migrationRoute(view, node, observed, node.host).copies))
    .reduce((sum, size) => sum + size, 0);
}

function unknownNames(nodes: readonly NodeDesign[], { host, stay, move }: DrainRequest): Problem[] {
  const names = nodes.map(({ name }) => name);
  const there = names.length > 0 ? `nodes there are: ${names.join(', ')}` : 'it has no node of this cluster';
  return [...stay, ...move]
    .filter((name) => !names.includes(name))
    .map((name) => ({
      code: 'unknown-node',
      scope: 'plan',
      message: `${host} has no node ${name}`,
      advice: there,
    }));
}

export function memoryOf(node: NodeDesign): number {
  return Number(node.talosVm.options.memory ?? 0) * 1024 ** 2;
}

function inOrderOfGoing(a: DrainDecision, b: DrainDecision): number {
  return Number(b.role === 'worker') - Number(a.role === 'worker') || compareNaturally(a.node, b.node);
}
