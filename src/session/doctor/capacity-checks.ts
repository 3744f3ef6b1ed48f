/** Is there room for the design: memory, CPUs and space per host, beside what is there already? */
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import { bytes, formatSize, GIB } from '../../model/size.js';
import { type Check, fail, ok, warn } from './check.js';
import type { ClusterFacts } from './facts.js';
import { storagesOf } from './wanted.js';

export function capacityChecks(config: Config, design: Design, cluster: ClusterFacts): Check[] {
  return [...memoryChecks(config, design, cluster), ...spaceChecks(design, cluster)];
}

function memoryChecks(config: Config, design: Design, cluster: ClusterFacts): Check[] {
  const ours = new Set<number>(design.nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid ?? 0]));
  const sizeOf = new Map(config.nodes.map((node) => [node.name, node.vm]));
  const hosts = [...new Set(design.nodes.map((node) => node.host))].sort();
  return hosts.flatMap((host) => {
    const entry = cluster.nodes.find((node) => node.node === host);
    if (entry?.memory === undefined || !entry.online) return [];
    const nodes = design.nodes.filter((node) => node.host === host);
    const wanted = sum(nodes.map((node) => sizeOf.get(node.name)?.memory ?? 0));
    // What runs there and is not ours stays; our own VMs are counted by the design.
    const others = cluster.vms.filter(
      (vm) => vm.node === host && vm.status === 'running' && !ours.has(vm.vmid),
    );
    const taken = sum(others.map((vm) => vm.memory ?? 0));
    const text = `${host}: ${size(wanted)} of memory for ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, ${size(entry.memory - taken)} of ${size(entry.memory)} not taken by other VMs`;
    const fits = wanted <= entry.memory - taken;
    const say = config.policy.overcommit.memory ? warn : fail;
    return [
      fits
        ? ok('capacity', text)
        : say('capacity', text, 'Give the nodes less memory, move some to another host, or stop other VMs.'),
      ...cpuCheck(config, host, entry.cpus, sum(nodes.map((node) => cpusOf(sizeOf.get(node.name))))),
    ];
  });
}

function cpusOf(vm: Config['nodes'][number]['vm'] | undefined): number {
  return vm ? vm.cores * vm.sockets : 0;
}

function cpuCheck(config: Config, host: string, cpus: number | undefined, wanted: number): Check[] {
  const { cpuRatio } = config.policy.overcommit;
  if (cpus === undefined || wanted <= cpus * cpuRatio) return [];
  return [
    warn(
      'capacity',
      `${host}: ${wanted} virtual CPUs on ${cpus}, more than ${cpuRatio} times (policy.overcommit.cpuRatio)`,
    ),
  ];
}

function spaceChecks(design: Design, cluster: ClusterFacts): Check[] {
  return storagesOf(design).flatMap(({ host, storage, bytes: wanted }) => {
    const facts = cluster.hosts[host];
    const found = facts?.storages.known
      ? facts.storages.value.find((entry) => entry.storage === storage)
      : undefined;
    if (found?.available === undefined || found.total === undefined) return [];
    const there = facts?.volumes[storage];
    const existing = there?.known ? there.value : {};
    const open = sum([...wanted].map(([vmid, need]) => Math.max(0, need - (existing[vmid] ?? 0))));
    const all = sum([...wanted.values()]);
    const text = `${storage} on ${host}: ${size(open)} to create, ${size(found.available)} of ${size(found.total)} free`;
    const fix = 'Free space, use smaller disks or another storage.';
    if (all > found.total) return [fail('capacity', text, fix)];
    // Thin volumes can be made nevertheless, and stop the guests when the storage is full.
    return [open > found.available ? warn('capacity', text, fix) : ok('capacity', text)];
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Whole GiB from one on: a host's memory is never a round number. */
function size(value: number): string {
  const whole = Math.max(0, Math.floor(value));
  return whole >= GIB ? `${Math.floor(whole / GIB)}GiB` : formatSize(bytes(whole));
}
