/** A picture as mermaid text: hosts, critical infrastructure with what is passed through, nodes and their data. */
import { wholeGib } from '../plan/capacity/usage.js';
import type { HostPicture, NodePicture, Picture } from './picture/picture.js';

const CLASSES = [
  'classDef host fill:#333,stroke:#fff,stroke-width:2px,color:#fff;',
  'classDef vm fill:#005f73,stroke:#333,stroke-width:2px,color:#fff;',
  'classDef k8s fill:#e9d8a6,stroke:#333,stroke-width:2px,color:#000;',
  'classDef data fill:#94d2bd,stroke:#333,stroke-width:2px,color:#000;',
];

export function mermaid(picture: Picture): string {
  const ids = new Ids();
  const single = picture.hosts.length === 1;
  const lines = [
    'graph TD',
    ...picture.hosts.flatMap((host) => indent(hostLines(host, picture, ids, single))),
  ];
  const classes = [...ids.classes].map(([name, members]) => `class ${members.join(',')} ${name};`);
  return `${[...lines, '', ...indent([...CLASSES, ...classes])].join('\n')}\n`;
}

function hostLines(host: HostPicture, picture: Picture, ids: Ids, single: boolean): string[] {
  const suffix = single ? '' : `_${plain(host.name)}`;
  const pve = ids.take(`PVE${suffix}`, 'host');
  const infra = infraLines(host, ids);
  const nodes = host.nodes.flatMap((node) => nodeLines(node, ids));
  const title = picture.vip === undefined ? picture.cluster : `${picture.cluster}, VIP ${picture.vip}`;
  return [
    `subgraph Physical_Host${suffix}["${text(host.name)}"]`,
    ...indent([
      `${pve}["Proxmox VE Hypervisor${sizeOf(host)}"]`,
      ...(infra.length > 0
        ? ['', `subgraph Critical_Infra${suffix}["Critical infrastructure"]`, ...indent(infra), 'end']
        : []),
      ...(nodes.length > 0
        ? ['', `subgraph Kubernetes_Cluster${suffix}["${text(title)}"]`, ...indent(nodes), 'end']
        : []),
    ]),
    'end',
  ];
}

function sizeOf({ capacity }: HostPicture): string {
  if (capacity.cpus === undefined || capacity.memory === undefined) return '';
  return `<br>${gb(capacity.memory)} RAM / ${capacity.cpus} vCPU`;
}

function infraLines(host: HostPicture, ids: Ids): string[] {
  return [...host.reservations, ...host.others].flatMap((user) => {
    const id = ids.take(plain(user.name).toUpperCase(), 'vm');
    const vm = `${id}["${text(user.name)} VM<br>${gb(user.memory)} RAM / ${user.cpus} vCPU"]`;
    if (user.passthrough === undefined) return [vm];
    const device = ids.take(plain(user.passthrough).toUpperCase(), 'vm');
    return [
      vm,
      `${device}["${text(user.passthrough)} Passthrough"]`,
      `${id} -- PCI Passthrough --> ${device}`,
    ];
  });
}

function nodeLines(node: NodePicture, ids: Ids): string[] {
  const id = ids.next(node.role === 'controlplane' ? 'CP' : 'W', 'k8s');
  const state = node.state === undefined ? '' : `<br>${node.state}`;
  const lines = [`${id}["${text(node.name)}<br>${gb(node.memory)} / ${node.cpus} vCPU${state}"]`];
  for (const device of node.devices) {
    const deviceId = ids.take(`${id}_${plain(device)}`, 'vm');
    lines.push(`${deviceId}["${text(device)} Passthrough"]`, `${id} -- PCI Passthrough --> ${deviceId}`);
  }
  if (!node.dataVm) return lines;
  const data = ids.take(`${id}_DATA`, 'data');
  const drives = node.dataVm.drives.map((drive) => `${text(drive.name)} ${gb(drive.size)}`).join('<br>');
  return [...lines, `${data}[("${text(node.dataVm.name)}<br>${drives}")]`, `${id} -- attaches --> ${data}`];
}

/** Ids are unique, and short where nothing else has them. */
export class Ids {
  readonly classes = new Map<string, string[]>();
  readonly #taken = new Set<string>();
  readonly #counters = new Map<string, number>();

  take(wanted: string, className: string): string {
    let id = wanted;
    for (let i = 2; this.#taken.has(id); i++) id = `${wanted}_${i}`;
    this.#taken.add(id);
    this.classes.set(className, [...(this.classes.get(className) ?? []), id]);
    return id;
  }

  /** `CP0`, `CP1`, … */
  next(prefix: string, className: string): string {
    const index = this.#counters.get(prefix) ?? 0;
    this.#counters.set(prefix, index + 1);
    return this.take(`${prefix}${index}`, className);
  }
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `    ${line}`));
}

/** For ids: letters, digits and underscores. */
export function plain(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '_') || 'x';
}

/** For labels in quotes. */
export function text(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('"', '#quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function gb(size: number): string {
  return wholeGib(size).replace(' ', '');
}
