/** What does not fit, and what is worth knowing about how full the hosts are. */
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import type { Note, Problem } from '../plan.js';
import { failovers } from './failover.js';
import {
  type CapacityFacts,
  type CapacityUser,
  type HostCapacity,
  hostCapacities,
  isReservationOf,
  type StorageUse,
  wholeGib,
} from './usage.js';

/** What forbids the plan. Sizes that no one says are no problem: doctor looks at the real hosts. */
export function capacityProblems(config: Config, design: Design, observed?: CapacityFacts): Problem[] {
  const hosts = hostCapacities(config, design, observed).filter((host) => host.users.some(isOurs));
  return hosts.flatMap((host) => [
    // What others have started since does not keep a cluster that takes no more from being planned.
    ...(host.added.memory > 0 ? memoryProblems(host, config) : []),
    ...(host.added.cpus > 0 ? cpuProblems(host, config) : []),
    ...storageProblems(host),
  ]);
}

/** Hosts that have become too full although this plan adds nothing there. */
function fullHosts(hosts: readonly HostCapacity[], config: Config): Note[] {
  return hosts
    .filter((host) => host.users.some(isOurs))
    .flatMap((host) => [
      ...(host.added.memory > 0 ? [] : memoryProblems(host, config)),
      ...(host.added.cpus > 0 ? [] : cpuProblems(host, config)),
    ])
    .map(({ message }) => ({ code: 'advice', message: `${message}; nothing more is placed there` }));
}

function memoryProblems(host: HostCapacity, config: Config): Problem[] {
  const { memory, left } = host;
  if (memory === undefined || left.memory === undefined) return [];
  if (left.memory >= 0 || config.policy.overcommit.memory) return [];
  const last = lastThatDoesNotFit(host.users, memory);
  const free = left.memory + (last?.memory ?? 0);
  const short = wholeGib(-left.memory);
  return [
    {
      code: 'capacity-memory',
      scope: 'plan',
      ...(last && { node: last.name }),
      message:
        last && free >= 0
          ? `${host.name}: ${last.name} needs ${wholeGib(last.memory)} of memory, ${wholeGib(free)} of ${wholeGib(memory)} are left: ${short} do not fit`
          : `${host.name}: ${wholeGib(memory - left.memory)} of memory are requested, it has ${wholeGib(memory)}: ${short} do not fit`,
      advice:
        'give the nodes less memory, put some on another host, or allow it with `policy.overcommit.memory: true`',
    },
  ];
}

/** The newest of our nodes without which there would be room, else the newest. */
function lastThatDoesNotFit(users: readonly CapacityUser[], memory: number): CapacityUser | undefined {
  const asked = users.reduce((sum, user) => sum + user.memory, 0);
  const ours = users.filter(isOurs).sort((a, b) => (b.vmid ?? 0) - (a.vmid ?? 0));
  return ours.find((user) => asked - user.memory <= memory) ?? ours[0];
}

function cpuProblems({ name, cpus, left, users }: HostCapacity, config: Config): Problem[] {
  if (cpus === undefined || left.cpus === undefined) return [];
  const { cpuRatio } = config.policy.overcommit;
  const asked = users.reduce((sum, user) => sum + user.cpus, 0);
  if (asked <= cpus * cpuRatio) return [];
  const over = Math.ceil(asked - cpus * cpuRatio);
  return [
    {
      code: 'capacity-cpu',
      scope: 'plan',
      message: `${name}: ${asked} vCPUs are requested, ${cpus} CPUs allow ${Math.floor(cpus * cpuRatio)}: ${over} do not fit`,
      advice: 'give the nodes fewer cores, put some on another host, or raise `policy.overcommit.cpuRatio`',
    },
  ];
}

/** A storage smaller than our disks fails sooner or later, thin or not; a thick one as soon as it has no room. */
function storageProblems(host: HostCapacity): Problem[] {
  return host.storages.flatMap((storage): Problem[] => {
    const { name, ours, total, thick, open = 0 } = storage;
    const free = freeOf(storage);
    const message =
      total !== undefined && ours > total
        ? `${host.name}: the disks of this cluster on ${name} may grow to ${wholeGib(ours)}, it has ${wholeGib(total)}: ${wholeGib(ours - total)} do not fit`
        : thick && free !== undefined && open > free
          ? `${host.name}: new disks on ${name} take ${wholeGib(open)} at once, ${wholeGib(free)} are free: ${wholeGib(open - free)} do not fit`
          : undefined;
    const advice = 'make the disks smaller, or put some on another storage';
    return message === undefined ? [] : [{ code: 'capacity-storage', scope: 'plan', message, advice }];
  });
}

function freeOf({ total, used }: StorageUse): number | undefined {
  return total === undefined || used === undefined ? undefined : Math.max(0, total - used);
}

/** What the plan should say, and go on. */
export function capacityNotes(config: Config, design: Design, observed?: CapacityFacts): Note[] {
  const hosts = hostCapacities(config, design, observed);
  return [
    ...antiAffinity(hosts),
    ...failovers(hosts)
      .filter(({ homeless, known }) => known && homeless.length > 0)
      .map(
        ({ host, homeless, missing }): Note => ({
          code: 'advice',
          message: `if ${host} fails, ${someNames(homeless)} would fit nowhere else: ${wholeGib(missing)} of memory are missing`,
        }),
      ),
    ...thinStorages(hosts),
    ...fullHosts(hosts, config),
    ...appliances(config, observed),
  ];
}

/** `work-1, work-4, work-7 and 64 others`: the plan of a large cluster stays readable. */
function someNames(nodes: readonly { readonly name: string }[], most = 6): string {
  const names = nodes.map((node) => node.name);
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} others`;
}

/** Thin volumes can be made nevertheless, and stop their guests when the storage is full. */
function thinStorages(hosts: readonly HostCapacity[]): Note[] {
  return hosts.flatMap((host) =>
    host.storages.flatMap((storage): Note[] => {
      const { name, thick, open = 0 } = storage;
      const free = freeOf(storage);
      if (thick || free === undefined || open <= free) return [];
      const message = `${name} on ${host.name}: new disks may grow to ${wholeGib(open)}, ${wholeGib(free)} are free`;
      return [{ code: 'advice', message }];
    }),
  );
}

/** Control planes on one host fall together; with a single host there is no choice. */
function antiAffinity(hosts: readonly HostCapacity[]): Note[] {
  if (hosts.length < 2) return [];
  return hosts.flatMap((host): Note[] => {
    const names = host.users.filter((user) => user.kind === 'controlplane').map((user) => user.name);
    if (names.length < 2) return [];
    return [
      { code: 'advice', message: `${names.join(' and ')} are on one host, ${host.name}: they fail together` },
    ];
  });
}

/** Reserved appliances: is what oxherd.yaml says what is there? They are looked at and never touched. */
function appliances(config: Config, observed?: CapacityFacts): Note[] {
  if (!observed) return [];
  return config.hosts.flatMap((host) =>
    host.reservations.flatMap((reservation): Note[] => {
      const vm = Object.values(observed.taken).find((each) => isReservationOf(reservation, each));
      const say = (message: string): Note[] => [
        { code: 'drift', message: `${reservation.name}: ${message}` },
      ];
      if (!vm) return reservation.vmid === undefined ? [] : say(`there is no VM ${reservation.vmid}`);
      if (vm.host !== host.name) return say(`it is on ${vm.host}, reserved on ${host.name}`);
      if (vm.memory !== undefined && vm.memory > reservation.memory) {
        return say(`it has ${wholeGib(vm.memory)} of memory, ${wholeGib(reservation.memory)} are reserved`);
      }
      if (vm.cpus !== undefined && vm.cpus > reservation.cpus) {
        return say(`it has ${vm.cpus} vCPUs, ${reservation.cpus} are reserved`);
      }
      return [];
    }),
  );
}

function isOurs(user: CapacityUser): boolean {
  return user.kind === 'controlplane' || user.kind === 'worker';
}
