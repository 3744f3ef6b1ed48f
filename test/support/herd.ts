/** The cluster that rolling changes are tried on, with what changes in it as arguments. */
export interface Herd {
  readonly talos?: string;
  readonly kubernetes?: string;
  readonly controlPlanes?: number;
  readonly workers?: number;
  readonly cores?: number;
  readonly memory?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** The EPHEMERAL disk. */
  readonly disk?: string;
  /** Indented lines below `talos:`. */
  readonly schematic?: string;
  readonly volumes?: Readonly<Record<string, string>>;
  readonly more?: string;
}

export const VIP = '10.20.30.40';

export function herd({
  talos = 'v1.13.9',
  kubernetes = 'v1.34.0',
  controlPlanes = 3,
  workers = 3,
  cores = 2,
  memory = '4GiB',
  labels = {},
  disk = '6GiB',
  schematic = '',
  volumes = { scratch: '1GiB' },
  more = '',
}: Herd = {}): string {
  const nodes = (role: string, name: string, count: number, first: number) =>
    Array.from(
      { length: count },
      (_, index) =>
        `  ${name}-${index + 1}: { role: ${role}, host: pve${(index % 3) + 1}, ip: 10.20.30.${first + index}, vmid: ${100 + first + index} }`,
    );
  const labelled = Object.keys(labels).length > 0 ? `, labels: ${JSON.stringify(labels)}` : '';
  return [
    `cluster: { name: herd, vip: ${VIP}, kubernetes: ${kubernetes} }`,
    'talos:',
    `  version: ${talos}`,
    schematic,
    'proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }',
    'network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }',
    'hosts: { pve1: {}, pve2: {}, pve3: {} }',
    'defaults:',
    `  all: { cores: ${cores}, memory: ${memory}, disk: ${disk}${labelled} }`,
    'nodes:',
    ...nodes('controlplane', 'cp', controlPlanes, 41),
    ...nodes('worker', 'work', workers, 51),
    ...(Object.keys(volumes).length > 0 ? ['volumes:'] : []),
    ...Object.entries(volumes).map(([name, size]) => `  ${name}: { type: disk, size: ${size} }`),
    more,
    '',
  ].join('\n');
}

/** The VMs of the nodes of 3 + 3. */
export const NODES = [141, 142, 143, 151, 152, 153];
