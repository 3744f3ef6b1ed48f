/** One control plane on pve1 and one worker on pve2, with a disk volume; what a test needs differently is an argument. */
export interface SmallFile {
  readonly cp?: string;
  readonly worker?: string;
  /** More lines below `nodes:`. */
  readonly nodes?: readonly string[];
  readonly volumes?: readonly string[];
  readonly proxmox?: string;
  readonly more?: string;
}

export const DATA_VOLUME = 'data: { type: disk, size: 2GiB }';

export function smallFile(options: SmallFile = {}): string {
  const {
    cp = '',
    worker = '',
    nodes = [],
    volumes = [DATA_VOLUME],
    proxmox = 'endpoint: "https://pve1.lan:8006"',
    more = '',
  } = options;
  const lines = [
    `cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141${cp} }`,
    `work-1: { role: worker, host: pve2, ip: 10.20.30.51, vmid: 151${worker} }`,
    ...nodes,
  ];
  const block = (name: string, content: readonly string[]) =>
    content.length === 0 ? '' : `${name}:\n${content.map((line) => `  ${line}\n`).join('')}`;
  return `cluster: { name: small, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { ${proxmox}, cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
# A third one, so that the others hold the quorum when one is down.
hosts: { pve1: {}, pve2: {}, pve3: {} }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
${block('nodes', lines)}${block('volumes', volumes)}${more}`;
}
