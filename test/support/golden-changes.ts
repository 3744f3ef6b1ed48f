/** The changes whose plans are kept as texts, by the names of these texts. */
import type { Herd } from './herd.js';

export const GOLDEN_CHANGES: Record<string, Herd> = {
  memory: { memory: '6GiB' },
  talos: { talos: 'v1.14.1' },
  'talos-too-far': { talos: 'v1.15.0' },
  kubernetes: { kubernetes: 'v1.36.0' },
  'kubernetes-and-memory': { kubernetes: 'v1.35.0', memory: '6GiB' },
  extensions: {
    schematic:
      '  schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent, siderolabs/iscsi-tools] } } }',
  },
  'config-live': {
    schematic: '  patches: { all: [{ machine: { sysctls: { vm.max_map_count: "262144" } } }] }',
  },
  'config-reboot': { schematic: '  patches: { all: [{ machine: { env: { LANG: C } } }] }' },
  'node-added': { workers: 3 },
  'worker-removed': { workers: 1 },
  'control-plane-removed': { controlPlanes: 2 },
  'volume-grown': { volumes: { scratch: '2GiB' } },
  'disks-grown': { disk: '8GiB', volumes: { scratch: '2GiB' } },
  'disks-grown-and-memory': { disk: '8GiB', memory: '6GiB' },
  'volume-added': { volumes: { scratch: '1GiB', cache: '1GiB' } },
  'volume-removed': { volumes: {} },
};

/** Edits of single lines of the file. */
export const GOLDEN_EDITS: Record<string, (text: string) => string> = {
  'host-move': (text) =>
    text.replace('work-1: { role: worker, host: pve1', 'work-1: { role: worker, host: pve3'),
  'host-move-and-disk': (text) =>
    text
      .replace('work-1: { role: worker, host: pve1', 'work-1: { role: worker, host: pve3, disk: 8GiB')
      .replace('cp-2: { role: controlplane, host: pve2', 'cp-2: { role: controlplane, host: pve1'),
  'host-move-nowhere': (text) =>
    text.replace('work-1: { role: worker, host: pve1', 'work-1: { role: worker, host: pve9'),
  rename: (text) => text.replace('work-2:', 'anvil:'),
  'rename-swapped': (text) =>
    text.replace('  work-1:', '  other:').replace('  work-2:', '  work-1:').replace('  other:', '  work-2:'),
  'role-change': (text) => text.replace('work-2: { role: worker', 'work-2: { role: controlplane'),
  'role-change-back': (text) => text.replace('cp-3: { role: controlplane', 'cp-3: { role: worker'),
  vlan: (text) => text.replace('ip: 10.20.30.51', 'vlan: 30, ip: 10.20.30.51'),
  firewall: (text) => text.replace('ip: 10.20.30.51', 'firewall: true, ip: 10.20.30.51'),
  'second-nic': (text) =>
    text.replace('ip: 10.20.30.51', 'nics: [{ bridge: vmbr0, vlan: 40, dhcp: true }], ip: 10.20.30.51'),
  'cpu-type': (text) => text.replace('ip: 10.20.30.51', 'cpuType: x86-64-v3, ip: 10.20.30.51'),
  'machine-type': (text) => text.replace('ip: 10.20.30.51', 'machine: pc, ip: 10.20.30.51'),
  'disk-options': (text) =>
    text.replace('ip: 10.20.30.51', 'diskOptions: { cache: none, ssd: false }, ip: 10.20.30.51'),
  'labels-and-taints': (text) =>
    text.replace(
      'ip: 10.20.30.51',
      'labels: { tier: gold }, taints: [{ key: gpu, value: "1", effect: NoSchedule }], ip: 10.20.30.51',
    ),
};
