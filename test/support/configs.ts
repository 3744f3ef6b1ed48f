/** Small clusters for tests. */

export interface SmallCluster {
  readonly controlPlanes?: number;
  readonly workers?: number;
  readonly hosts?: readonly string[];
  /** YAML below `volumes:`. */
  readonly volumes?: string;
  readonly more?: string;
  readonly nodeOptions?: string;
}

export function smallCluster(options: SmallCluster = {}): string {
  const {
    controlPlanes = 2,
    workers = 2,
    hosts = ['pve1', 'pve2'],
    volumes = '  data: { type: disk, size: 2GiB, on: worker }',
  } = options;
  return `cluster: { name: small, vip: 10.20.30.40, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: ${controlPlanes}, hosts: [${hosts.join(', ')}], ip: 10.20.30.41, vmid: 141 }
${workers > 0 ? `  work: { role: worker, count: ${workers}, hosts: [${hosts.join(', ')}], ip: 10.20.30.51, vmid: 151${options.nodeOptions ?? ''} }` : ''}
volumes:
${volumes}
${options.more ?? ''}`;
}
