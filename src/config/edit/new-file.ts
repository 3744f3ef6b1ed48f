/** The text of a new oxherd.yaml. */
import {
  addToIPv4,
  broadcastOf,
  type Cidr,
  cidrContains,
  type IPv4,
  ipv4ToNumber,
  parseCidr,
  parseIPv4,
} from '../../model/address.js';
import { OxherdError } from '../../model/error.js';
import { type Answers, hostsOf } from './new-file-answers.js';

/** As in the examples: the VIP at .40, control planes from .41, workers from .51; vmids likewise. */
const FIRST_OFFSET = 40;
const FIRST_VMID = 141;

export function newConfigFile(answers: Answers): string {
  const hosts = hostsOf(answers.hosts);
  const controlPlanes = Number(answers.controlplanes);
  const workers = Number(answers.workers);
  const { vip, cp, work } = chooseAddresses(answers, controlPlanes, workers);
  const workerVmid = FIRST_VMID + Math.ceil(controlPlanes / 10) * 10;
  const place = hosts.length === 1 ? `host: ${hosts[0]}` : `hosts: [${hosts.join(', ')}]`;
  const node = (role: string, count: number, ip: IPv4, vmid: number): string =>
    `{ role: ${role}, count: ${count}, ${place}, ip: ${ip}, vmid: ${vmid} }`;
  const lines = [
    '# One file, one cluster. All keys: docs/config.md, or `oxherd schema` for your editor.',
    'cluster:',
    '  # Part of every identity: choose it once.',
    `  name: ${answers.name}`,
    ...(vip
      ? ['  # Address of the Kubernetes API, held by one of the control planes.', `  vip: ${vip}`]
      : []),
    `  kubernetes: ${answers.kubernetes}`,
    ...(workers === 0 ? ['  scheduleOnControlPlanes: true'] : []),
    '',
    'talos:',
    `  version: ${answers.talos}`,
    '  # Extensions of the image; the guest agent is in it by default.',
    '  # schematic: schematic.yaml',
    '',
    'proxmox:',
    `  endpoint: ${answers.endpoint}`,
    '  # Name of the Proxmox cluster (Datacenter in its interface): region of the nodes and volumes.',
    `  cluster: ${answers.name}`,
    '  # The token itself never stands here: export OXHERD_PROXMOX_TOKEN=user@realm!name=uuid',
    '  token: env:OXHERD_PROXMOX_TOKEN',
    '  # A certificate of its own: name its CA or its SHA-256 fingerprint.',
    '  # ca: pve-root-ca.pem',
    '',
    'network:',
    `  subnet: ${answers.subnet}`,
    `  gateway: ${answers.gateway}`,
    `  dns: [${answers.gateway}]`,
    '  # bridge: vmbr0',
    '  # vlan: 20',
    '',
    'defaults:',
    '  all:',
    '    # Storage of the disks in Proxmox.',
    '    storage: local-zfs',
    '  controlplane: { cores: 4, memory: 8GiB }',
    ...(workers > 0 ? ['  worker: { cores: 4, memory: 8GiB, disk: 40GiB }'] : []),
    '',
    'nodes:',
    '  # Groups: cp-1, cp-2 and so on; `ip` and `vmid` count up. The data VM of 141 is 1410.',
    `  cp: ${node('controlplane', controlPlanes, cp, FIRST_VMID)}`,
    ...(work ? [`  work: ${node('worker', workers, work, workerVmid)}`] : []),
    '',
    '# Volumes outlive every VM. Removing one from this file keeps its data.',
    '# volumes:',
    '#   longhorn: { type: disk, size: 50GiB, on: worker }',
    `#   pv-photos: { type: proxmox-csi, size: 20GiB, host: ${hosts[0]} }`,
    '',
    '# kubernetes:',
    '#   cilium: true',
    '#   gatewayApi: true',
    ...(controlPlanes < 3
      ? [
          '',
          'policy:',
          '  # Changing the control plane means an outage of the Kubernetes API.',
          '  outage: allow',
        ]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

interface Addresses {
  readonly vip: IPv4 | undefined;
  readonly cp: IPv4;
  readonly work: IPv4 | undefined;
}

function chooseAddresses(answers: Answers, controlPlanes: number, workers: number): Addresses {
  const subnet = parseCidr(answers.subnet);
  const gateway = parseIPv4(answers.gateway);
  if (!subnet || !gateway) throw new OxherdError('init.answers', 'the network is not known');
  const taken = new Set<IPv4>([gateway, subnet.network, broadcastOf(subnet)]);
  const given = parseIPv4(answers.vip);
  if (given) taken.add(given);
  const offset = 2 ** (32 - subnet.prefix) > 2 * FIRST_OFFSET ? FIRST_OFFSET : 1;
  const start = addToIPv4(subnet.network, offset) ?? subnet.network;
  const vip = given ?? (controlPlanes > 1 ? freeRun(subnet, start, 1, taken) : undefined);
  const cp = freeRun(subnet, addToIPv4(start, vip ? 1 : 0) ?? start, controlPlanes, taken);
  if (workers === 0) return { vip, cp, work: undefined };
  const round = offset === FIRST_OFFSET ? Math.ceil(controlPlanes / 10) * 10 : controlPlanes;
  return { vip, cp, work: freeRun(subnet, addToIPv4(cp, round) ?? cp, workers, taken) };
}

/** The first addresses in a row, from `start` on and then from the beginning; they are taken afterwards. */
function freeRun(subnet: Cidr, start: IPv4, count: number, taken: Set<IPv4>): IPv4 {
  const size = 2 ** (32 - subnet.prefix);
  const first = ipv4ToNumber(start) - ipv4ToNumber(subnet.network);
  for (let i = 0; i < Math.min(size, 4096); i++) {
    const run = Array.from({ length: count }, (_, j) => addToIPv4(subnet.network, ((first + i) % size) + j));
    const free = run.flatMap((ip) => (ip && cidrContains(subnet, ip) && !taken.has(ip) ? [ip] : []));
    const [ip] = free;
    if (ip && free.length === count) {
      for (const each of free) taken.add(each);
      return ip;
    }
  }
  throw new OxherdError(
    'init.network',
    `${subnet.network}/${subnet.prefix} has no ${count} free addresses in a row`,
    {
      advice: 'choose a larger network or fewer nodes',
    },
  );
}
