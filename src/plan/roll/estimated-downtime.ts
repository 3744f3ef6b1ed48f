/**
 * How long a node is away by a plan, as a range. It begins when the node is drained and ends when it is Ready again.
 * The figures are for machines like those of a home lab; a reader wants to know whether it is seconds or an hour.
 */
import type { Step, StepKind } from '../steps.js';

export interface Seconds {
  readonly least: number;
  readonly most: number;
}

type Table = Partial<Record<StepKind, Seconds & { readonly because: string }>>;

const TABLE: Table = {
  'stop-vm': {
    least: 5,
    most: 30,
    because: 'Talos stops its services; Proxmox waits for three minutes at most',
  },
  'start-vm': { least: 20, most: 60, because: 'firmware, kernel, services' },
  'restart-vm': { least: 25, most: 90, because: 'a stop and a start' },
  'reboot-machine': {
    least: 20,
    most: 80,
    because: 'Talos restarts the kernel without the firmware where it can',
  },
  'upgrade-talos': {
    least: 40,
    most: 150,
    because: 'the image was pulled before; written to disk, then a reboot',
  },
  'replace-os-disk': { least: 20, most: 120, because: 'a stop, and the image is copied to a new disk' },
  'configure-machine': {
    least: 10,
    most: 60,
    because: 'it takes its config and installs or restarts its services',
  },
  'hand-over-drive': { least: 25, most: 90, because: 'a stop and a start around a change of names' },
  'renew-drive': { least: 2, most: 10, because: 'an empty disk is created' },
  'detach-drive': { least: 0, most: 2, because: 'a line of the VM’s config' },
  'attach-drive': { least: 0, most: 2, because: 'a line of the VM’s config' },
  'set-options': {
    least: 1,
    most: 20,
    because: 'the link is down, then addresses and neighbours are found again',
  },
  'migrate-vm': { least: 3, most: 20, because: 'the config moves; disks are counted by their size' },
  'move-drive': { least: 3, most: 20, because: 'disks are counted by their size' },
  'end-disruption': { least: 10, most: 60, because: 'kubelet reports, etcd catches up, the node is Ready' },
};

/** Disks are copied over a network of 1 to 10 Gbit/s, or as slowly as spinning disks write. */
const SLOW_BYTES_PER_SECOND = 60e6;
const FAST_BYTES_PER_SECOND = 1e9;

/** At worst. */
export function copySeconds(size: number): number {
  return size / SLOW_BYTES_PER_SECOND;
}

/** Of one node's steps between its going and its return. `undefined`: it is not taken away. */
export function estimatedDowntime(steps: readonly Step[], node: string): Seconds | undefined {
  const own = steps.filter((step) => step.node === node);
  const begin = own.find((step) => step.kind === 'begin-disruption');
  const end = own.find((step) => step.kind === 'end-disruption');
  if (!begin || !end) return undefined;
  const within = own.filter((step) => step.id === end.id || dependsOn(step, begin.id, own));
  const before = within.filter((step) => step.id === end.id || dependsOn(end, step.id, own));
  return before
    .map(secondsOf)
    .reduce((sum, one) => ({ least: sum.least + one.least, most: sum.most + one.most }), {
      least: 0,
      most: 0,
    });
}

function secondsOf(step: Step): Seconds {
  const { least, most } = TABLE[step.kind] ?? { least: 0, most: 0 };
  const size = bytesOf(step);
  return { least: least + size / FAST_BYTES_PER_SECOND, most: most + size / SLOW_BYTES_PER_SECOND };
}

function bytesOf(step: Step): number {
  if (step.kind === 'migrate-vm') return Object.values(step.copies).reduce((sum, size) => sum + size, 0);
  return step.kind === 'move-drive' ? step.size : 0;
}

function dependsOn(step: Step, id: string, steps: readonly Step[]): boolean {
  const byId = new Map(steps.map((one) => [one.id, one]));
  const seen = new Set<string>();
  const open = [...step.needs];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(byId.get(next)?.needs ?? []));
  }
  return false;
}

/** `1 to 3 minutes`: rounded outwards. */
export function durationWords({ least, most }: Seconds): string {
  if (most < 60) return 'less than a minute';
  if (most > 3 * 3_600) return range(least / 3_600, most / 3_600, 'hours');
  return range(least / 60, most / 60, 'minutes');
}

function range(least: number, most: number, unit: string): string {
  const [low, high] = [Math.max(1, Math.floor(least)), Math.ceil(most)];
  if (low === high) return low === 1 ? `a ${unit.replace(/s$/, '')}` : `${low} ${unit}`;
  return `${low} to ${high} ${unit}`;
}
