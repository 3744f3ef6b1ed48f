/** Containers started and stopped (pve-container, PVE/API2/LXC/Status.pm). They do nothing while they run. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import type { ContainerRecord } from '../db.js';
import {
  applyPending,
  assertUnlocked,
  fieldsOf,
  loadContainer,
  requireContainer,
  saveContainer,
} from './containers.js';

const STATUS = '/nodes/{node}/lxc/{vmid}/status';

interface Order {
  readonly host: string;
  readonly vmid: number;
}

interface Action {
  readonly task: string;
  readonly duration: number;
  /** Whether it has to run for it. */
  readonly running: boolean;
  readonly refused: (vmid: number) => string;
  readonly after: (container: ContainerRecord, now: number) => ContainerRecord;
}

function stopped({ since: _since, ...container }: ContainerRecord): ContainerRecord {
  return { ...container, running: false };
}

function started(container: ContainerRecord, since: number): ContainerRecord {
  return { ...applyPending(container), running: true, since };
}

const notRunning = (vmid: number) => `CT ${vmid} not running`;

const ACTIONS: Readonly<Record<string, Action>> = {
  start: {
    task: 'vzstart',
    duration: 2_000,
    running: false,
    refused: (vmid) => `CT ${vmid} already running`,
    after: started,
  },
  stop: { task: 'vzstop', duration: 1_000, running: true, refused: notRunning, after: stopped },
  shutdown: { task: 'vzshutdown', duration: 3_000, running: true, refused: notRunning, after: stopped },
  reboot: {
    task: 'vzreboot',
    duration: 5_000,
    running: true,
    refused: (vmid) => `VM ${vmid} not running`,
    after: started,
  },
};

export const powerHandlers: Handlers = {
  [`GET ${STATUS}`]: () =>
    ['current', 'start', 'stop', 'shutdown', 'suspend', 'resume', 'reboot'].map((subdir) => ({ subdir })),
  ...Object.fromEntries(
    Object.entries(ACTIONS).map(([name, action]) => [
      `POST ${STATUS}/${name}`,
      (call: Call) => order(call, action),
    ]),
  ),
  'GET /nodes/{node}/lxc/{vmid}/interfaces': (call) => {
    const { vmid, config, running } = requireContainer(call);
    return running
      ? [
          LOOPBACK,
          ...Object.keys(config)
            .filter(isNet)
            .map((key) => interfaceOf(vmid, key, config)),
        ]
      : [];
  },
};

export function definePowerTasks(pve: Pve): void {
  for (const { task, after } of Object.values(ACTIONS)) {
    pve.tasks.define<Order>(task, ({ host, vmid }) => {
      saveContainer(pve, after(loadContainer(pve, host, vmid), pve.core.clock.now()));
      return undefined;
    });
  }
}

function order(call: Call, { task, duration, running, refused }: Action): string {
  const container = requireContainer(call);
  const { vmid, host } = container;
  if (container.running !== running) throw new PveError(500, refused(vmid));
  if (container.config.template === '1') throw new PveError(500, `you can't start a CT if it's a template`);
  assertUnlocked(container);
  return call.pve.tasks.start(call, {
    node: host,
    type: task,
    id: String(vmid),
    args: { host, vmid },
    duration,
  });
}

const isNet = (key: string) => /^net\d+$/.test(key);
const LOOPBACK = {
  name: 'lo',
  hwaddr: '00:00:00:00:00:00',
  'hardware-address': '00:00:00:00:00:00',
  inet: '127.0.0.1/8',
  inet6: '::1/128',
  'ip-addresses': [
    { 'ip-address': '127.0.0.1', 'ip-address-type': 'inet', prefix: 8 },
    { 'ip-address': '::1', 'ip-address-type': 'inet6', prefix: 128 },
  ],
};

/** What it was given; DHCP gives an address of a private network that follows from the id. */
function interfaceOf(
  vmid: number,
  key: string,
  config: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { name, hwaddr = '', ip, ip6 } = fieldsOf(key, config[key] ?? '');
  const inet = ip === 'dhcp' ? `10.${(vmid >> 16) & 255}.${(vmid >> 8) & 255}.${vmid & 255}/8` : ip;
  const addresses = [
    ...(inet?.includes('/') ? [['inet', inet] as const] : []),
    ...(ip6?.includes('/') ? [['inet6', ip6] as const] : []),
  ];
  return {
    name,
    hwaddr: hwaddr.toLowerCase(),
    'hardware-address': hwaddr.toLowerCase(),
    ...Object.fromEntries(addresses),
    'ip-addresses': addresses.map(([type, address]) => ({
      'ip-address': address.split('/')[0],
      'ip-address-type': type,
      prefix: Number(address.split('/')[1]),
    })),
  };
}
