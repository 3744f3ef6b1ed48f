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
import { type FoundSite, freeVmids, isTaken, type SiteChoice, smallerMemory } from './found-site.js';
import { type Answers, hostsOf } from './new-file-answers.js';

/** As in the examples: the VIP at .40, control planes from .41, workers from .51; vmids likewise. */
const FIRST_OFFSET = 40;

/** What is known of the Proxmox besides the answers. */
interface SiteFacts {
  readonly fingerprint?: string;
  readonly found?: FoundSite;
  readonly choice?: SiteChoice;
  /** Where the editor finds the schema. */
  readonly schema?: string;
}

export function newConfigFile(answers: Answers, facts: SiteFacts = {}): string {
  const { found, choice } = facts;
  const hosts = hostsOf(answers.hosts);
  const controlPlanes = Number(answers.controlplanes);
  const workers = Number(answers.workers);
  const { vip, cp, work } = chooseAddresses(answers, controlPlanes, workers, found);
  const tens = Math.ceil(controlPlanes / 10) * 10;
  const firstVmid = freeVmids(found, tens + workers);
  const workerVmid = firstVmid + tens;
  const memory = smallerMemory(found, hosts, controlPlanes + workers);
  const size = memory === undefined ? 'cores: 4, memory: 8GiB' : `cores: 2, memory: ${memory}GiB`;
  const place = hosts.length === 1 ? `host: ${hosts[0]}` : `hosts: [${hosts.join(', ')}]`;
  const node = (role: string, count: number, ip: IPv4, vmid: number): string =>
    `{ role: ${role}, count: ${count}, ${place}, ip: ${ip}, vmid: ${vmid} }`;
  const lines = [
    ...(facts.schema === undefined ? [] : [`# yaml-language-server: $schema=${facts.schema}`]),
    '# One file, one cluster. All keys: `oxherd schema`, which your editor reads too.',
    'cluster:',
    '  # Part of every identity: choose it once.',
    `  name: ${answers.name}`,
    ...(vip
      ? ['  # Address of the Kubernetes API, held by one of the control planes.', `  vip: ${vip}`]
      : []),
    '  # renovate: datasource=github-releases depName=kubernetes/kubernetes',
    `  kubernetes: ${answers.kubernetes}`,
    ...(workers === 0 ? ['  scheduleOnControlPlanes: true'] : []),
    ...otherSubnets(answers.subnet),
    '',
    'talos:',
    '  # renovate: datasource=github-releases depName=siderolabs/talos',
    `  version: ${answers.talos}`,
    '  # Extensions of the image; the guest agent is in it by default.',
    '  # schematic: schematic.yaml',
    '',
    ...proxmoxLines(answers, facts),
    '',
    ...networkLines(answers, choice),
    '',
    'defaults:',
    '  all:',
    '    # Storage of the disks in Proxmox.',
    `    storage: ${choice?.storage ?? 'local-zfs'}`,
    ...(choice && choice.cpuTypes.length > 0 ? [cpuLine(choice.cpuTypes)] : []),
    `  controlplane: { ${size} }`,
    ...(workers > 0 ? [`  worker: { ${size}, disk: 40GiB }`] : []),
    '',
    'nodes:',
    `  # Groups: cp-1, cp-2 and so on; ip and vmid count up. The data VM of ${firstVmid} is ${firstVmid}0.`,
    `  cp: ${node('controlplane', controlPlanes, cp, firstVmid)}`,
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

function proxmoxLines({ endpoint, name }: Answers, { found, choice, fingerprint }: SiteFacts): string[] {
  return [
    'proxmox:',
    `  endpoint: ${endpoint}`,
    '  # Name of the Proxmox cluster (Datacenter in its interface): region of the nodes and volumes.',
    `  cluster: ${found?.cluster ?? name}`,
    '  # The token itself never stands here: export OXHERD_PROXMOX_TOKEN=user@realm!name=uuid',
    '  token: env:OXHERD_PROXMOX_TOKEN',
    ...(fingerprint === undefined
      ? ['  # A certificate of its own: name its CA or its SHA-256 fingerprint.', '  # ca: pve-root-ca.pem']
      : ['  # Of the certificate that was shown.', `  fingerprint: ${fingerprint}`]),
    ...(choice && choice.imageStorage !== 'local' ? [`  imageStorage: ${choice.imageStorage}`] : []),
  ];
}

function networkLines({ subnet, gateway }: Answers, choice: SiteChoice | undefined): string[] {
  return [
    'network:',
    `  subnet: ${subnet}`,
    `  gateway: ${gateway}`,
    `  dns: [${gateway}]`,
    choice ? `  bridge: ${choice.bridge}` : '  # bridge: vmbr0',
    choice && !choice.vlanAware ? '  # vlan: 20 needs a bridge that is VLAN aware' : '  # vlan: 20',
  ];
}

/** Where the nodes' network is inside the usual ones of pods and services, those are others. */
function otherSubnets(text: string): string[] {
  const subnet = parseCidr(text);
  const usual = ['10.96.0.0/12', '10.244.0.0/16'].flatMap((each) => parseCidr(each) ?? []);
  const clash = usual.some(
    (each) => subnet && (cidrContains(each, subnet.network) || cidrContains(subnet, each.network)),
  );
  if (!clash) return [];
  return [
    '  # The usual networks of pods and services would overlap with that of the nodes.',
    '  podSubnets: [172.20.0.0/16]',
    '  serviceSubnets: [172.21.0.0/16]',
  ];
}

interface Addresses {
  readonly vip: IPv4 | undefined;
  readonly cp: IPv4;
  readonly work: IPv4 | undefined;
}

/** Types that all hosts have; the default runs anywhere. */
function cpuLine(types: readonly string[]): string {
  const known = types.filter((type) => /^(?:host|x86-64|custom-)/.test(type));
  return `    # cpuType: ${known.slice(0, 6).join(', ') || types[0]}`;
}

function chooseAddresses(
  answers: Answers,
  controlPlanes: number,
  workers: number,
  found: FoundSite | undefined,
): Addresses {
  const subnet = parseCidr(answers.subnet);
  const gateway = parseIPv4(answers.gateway);
  if (!subnet || !gateway) throw new OxherdError('init.answers', 'the network is not known');
  const taken = new Set<IPv4>([gateway, subnet.network, broadcastOf(subnet)]);
  for (const address of found?.addresses ?? []) {
    const ip = parseIPv4(address);
    if (ip && isTaken(found, subnet, ip)) taken.add(ip);
  }
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
