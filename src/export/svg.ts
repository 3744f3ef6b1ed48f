/** A picture as SVG, drawn without any other program: hosts, VMs, the disks they own, networks and reservations. */
import { wholeGib } from '../plan/capacity/usage.js';
import { type Box, draw, escapeXml, type Line, measure } from './picture/boxes.js';
import type { DrivePicture, HostPicture, NodePicture, Picture } from './picture/picture.js';

export type Theme = 'auto' | 'light' | 'dark';

const MARGIN = 16;

export function svg(picture: Picture, theme: Theme = 'auto'): string {
  const root = measure(clusterBox(picture));
  const { width, height } = root;
  const full = { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${full.width}" height="${full.height}" viewBox="0 0 ${full.width} ${full.height}" role="img">`,
    `<title>${escapeXml(picture.cluster)}</title>`,
    `<style>${styles(theme)}</style>`,
    `<rect class="paper" width="100%" height="100%"/>`,
    draw(root, MARGIN, MARGIN),
    '</svg>\n',
  ].join('\n');
}

function clusterBox(picture: Picture): Box {
  const controlPlanes = picture.hosts
    .flatMap((host) => host.nodes)
    .filter((node) => node.role === 'controlplane')
    .map((node) => node.name);
  const shown =
    controlPlanes.length > 5 ? `${controlPlanes.length} control planes` : controlPlanes.join(', ');
  return {
    kind: 'cluster',
    lines: [
      title(picture.cluster),
      plain(picture.versions),
      ...(picture.vip === undefined ? [] : [plain(`VIP ${picture.vip} → ${shown}`)]),
      faint(`network ${picture.network}`),
    ],
    columns: hostColumns(picture.hosts.length),
    children: picture.hosts.map((host) => hostBox(host, picture.hosts.length)),
  };
}

function hostColumns(hosts: number): number {
  return hosts <= 4 ? Math.max(1, hosts) : Math.ceil(Math.sqrt(hosts));
}

function hostBox(host: HostPicture, hosts: number): Box {
  const { capacity } = host;
  const sizes = [
    ...(capacity.cpus === undefined ? [] : [`${capacity.cpus} vCPU`]),
    ...(capacity.memory === undefined ? [] : [`${wholeGib(capacity.memory)} RAM`]),
  ];
  const nodes = host.nodes.map(nodeBox);
  const others = [...host.reservations, ...host.others].map((user): Box => {
    return {
      kind: 'reserved',
      lines: [
        title(user.name),
        plain(
          `${user.title}: ${user.cpus} vCPU, ${wholeGib(user.memory)}${user.address === '' ? '' : `, ${user.address}`}`,
        ),
        ...(user.passthrough === undefined ? [] : [small(`PCI passthrough → ${user.passthrough}`)]),
      ],
    };
  });
  return {
    kind: 'host',
    lines: [title(host.name), faint(sizes.length > 0 ? `Proxmox VE, ${sizes.join(', ')}` : 'Proxmox VE')],
    bars: usageBars(host),
    children: [
      ...(others.length > 0
        ? [{ kind: 'group', lines: [small('reserved, never touched')], children: others }]
        : []),
      ...(nodes.length > 0
        ? [
            {
              kind: 'group',
              lines: [small('cluster nodes')],
              children: nodes,
              columns: nodeColumns(nodes.length, hosts),
            },
          ]
        : []),
      ...(host.csiVolumes.length > 0 ? [csiBox(host)] : []),
    ],
  };
}

/** The more hosts stand side by side, the narrower each. */
function nodeColumns(nodes: number, hosts: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(nodes / hostColumns(hosts))));
}

function usageBars({ capacity }: HostPicture) {
  const used = (key: 'cpus' | 'memory') => capacity.users.reduce((sum, user) => sum + user[key], 0);
  return [
    ...(capacity.cpus ? [{ label: 'vCPU', share: used('cpus') / capacity.cpus }] : []),
    ...(capacity.memory ? [{ label: 'RAM', share: used('memory') / capacity.memory }] : []),
  ];
}

function nodeBox(node: NodePicture): Box {
  const role = node.role === 'controlplane' ? 'control plane' : 'worker';
  return {
    kind: `${node.role}${node.state === 'stopped' || node.state === 'missing' ? ' down' : ''}`,
    lines: [
      title(node.name),
      plain(`${role}, VM ${node.vmid}${node.state === undefined ? '' : `, ${node.state}`}`),
      plain(`${node.cpus} vCPU, ${wholeGib(node.memory)}, ${node.ip}`),
      ...node.networks.map((network, index) => small(`net${index} on ${network}`)),
      ...node.devices.map((device) => small(`PCI passthrough → ${device}`)),
      ...node.ownDrives.map(driveLine),
    ],
    ...(node.dataVm && {
      children: [
        {
          kind: 'data',
          lines: [
            plain(`${node.dataVm.name}, VM ${node.dataVm.vmid}`),
            small('owns the data:'),
            ...node.dataVm.drives.map(driveLine),
          ],
        },
      ],
    }),
  };
}

/** A disk is called by the place where Talos mounts it. */
function driveLine(drive: DrivePicture): Line {
  const name =
    drive.kind === 'ephemeral' ? '/var' : drive.kind === 'volume' ? `/var/mnt/${drive.name}` : drive.name;
  return small(`${name} ${wholeGib(drive.size)} on ${drive.storage}`);
}

function csiBox(host: HostPicture): Box {
  return {
    kind: 'data',
    lines: [
      plain('CSI volumes'),
      ...host.csiVolumes.map((volume) =>
        small(`${volume.name} ${wholeGib(volume.size)} on ${volume.storage}`),
      ),
    ],
  };
}

const title = (text: string): Line => ({ text, style: 'title' });
const plain = (text: string): Line => ({ text, style: 'plain' });
const faint = (text: string): Line => ({ text, style: 'faint' });
const small = (text: string): Line => ({ text, style: 'small' });

const LIGHT = {
  paper: '#ffffff',
  ink: '#1b1f24',
  faint: '#57606a',
  line: '#c4cad1',
  cluster: '#f6f8fa',
  host: '#ffffff',
  group: '#f6f8fa',
  reserved: '#fbe3d6',
  controlplane: '#fdf3d0',
  worker: '#dff0fb',
  data: '#dcf3e6',
  track: '#dde2e7',
} as const;
const DARK: Record<keyof typeof LIGHT, string> = {
  paper: '#0d1117',
  ink: '#e6edf3',
  faint: '#9aa4af',
  line: '#3d444d',
  cluster: '#151b23',
  host: '#0d1117',
  group: '#151b23',
  reserved: '#4a2a1a',
  controlplane: '#41370f',
  worker: '#12344b',
  data: '#143a28',
  track: '#2a313a',
};

function styles(theme: Theme): string {
  const variables = (colors: Record<keyof typeof LIGHT, string>) =>
    `svg{${Object.entries(colors)
      .map(([name, color]) => `--${name}:${color}`)
      .join(';')}}`;
  const kinds = ['cluster', 'host', 'group', 'reserved', 'controlplane', 'worker', 'data'];
  return [
    theme === 'dark' ? variables(DARK) : variables(LIGHT),
    ...(theme === 'auto' ? [`@media (prefers-color-scheme:dark){${variables(DARK)}}`] : []),
    `text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}`,
    '.title{font-size:15px;font-weight:600}.plain{font-size:12.5px}.faint{font-size:12.5px;fill:var(--faint)}.small{font-size:11px}',
    '.paper{fill:var(--paper)}.box>rect{stroke:var(--line)}',
    ...kinds.map((kind) => `.${kind}>rect{fill:var(--${kind})}`),
    '.down>rect{stroke:#d1242f;stroke-dasharray:5 3}',
    '.box>rect.track{fill:var(--track);stroke:none}.box>rect.level{stroke:none}',
    '.box>rect.fine{fill:#2da44e}.box>rect.high{fill:#d4a72c}.box>rect.over{fill:#d1242f}',
  ].join('');
}
