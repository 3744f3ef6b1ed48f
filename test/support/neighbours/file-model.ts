/** The file of one of two clusters that share a Proxmox, and how people change it. */
import type { ClusterIdentity } from '../../../src/formats/marks/identities.js';

/** Pairs that look alike to people, and partly did to version 0.1.0. */
export const PAIRS: readonly (readonly [ClusterIdentity, ClusterIdentity])[] = [
  [
    { name: 'home-dev', env: '' },
    { name: 'home', env: 'dev' },
  ],
  [
    { name: 'home', env: '' },
    { name: 'home', env: 'dev' },
  ],
  [
    { name: 'herd', env: '' },
    { name: 'home', env: '' },
  ],
  [
    { name: 'data', env: '' },
    { name: 'home', env: 'data' },
  ],
  [
    { name: 'home', env: 'lock' },
    { name: 'home', env: '' },
  ],
];

export interface FileModel {
  readonly cluster: ClusterIdentity;
  /** First vmid of its workers; its control plane has ten less. */
  vmid: number;
  workers: number;
  /** GiB by name. */
  disks: Record<string, number>;
  csi: Record<string, number>;
}

export function newFile(cluster: ClusterIdentity, vmid: number): FileModel {
  return { cluster, vmid, workers: 1, disks: { data: 1 }, csi: { 'pv-data': 1 } };
}

export function fileText({ cluster: { name, env }, vmid, workers, disks, csi }: FileModel): string {
  const cp = vmid - 10;
  const volumes = [
    ...Object.entries(disks).map(([disk, size]) => `  ${disk}: { type: disk, size: ${size}GiB, on: worker }`),
    ...Object.entries(csi).map(
      ([volume, size]) => `  ${volume}: { type: proxmox-csi, size: ${size}GiB, host: pve1 }`,
    ),
  ];
  return `cluster: { name: ${name}, ${env === '' ? '' : `env: ${env}, `}vip: 10.20.30.40, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
hosts: { pve1: {} }
defaults:
  all: { cores: 1, memory: 2GiB, disk: 4GiB }
nodes:
  cp: { role: controlplane, count: 1, hosts: [pve1], ip: 10.20.30.41, vmid: ${cp} }
${workers > 0 ? `  work: { role: worker, count: ${workers}, hosts: [pve1], ip: 10.20.30.51, vmid: ${vmid} }\n` : ''}${volumes.length > 0 ? `volumes:\n${volumes.join('\n')}\n` : ''}`;
}

export type Choose = <T>(of: readonly T[]) => T;

/** One change that a person makes to the file; says which. */
export function edit(file: FileModel, choose: Choose): string {
  const kind = choose(['workers', 'disk', 'disk', 'csi', 'csi', 'grow'] as const);
  if (kind === 'workers') {
    file.workers = choose([0, 1, 2]);
    return `${file.workers} workers`;
  }
  if (kind === 'grow') {
    const name = choose([...Object.keys(file.disks), 'data']);
    if (name in file.disks) file.disks[name] = (file.disks[name] ?? 1) + 1;
    return `grow ${name}`;
  }
  const list = kind === 'disk' ? file.disks : file.csi;
  const name = choose(
    kind === 'disk' ? ['data', 'data-old', 'logs'] : ['pv-data', 'pv-data-old', 'dev-pv-data'],
  );
  if (name in list) delete list[name];
  else list[name] = 1;
  return `${name in list ? 'add' : 'take out'} ${name}`;
}
