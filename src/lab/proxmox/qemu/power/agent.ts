/** `/nodes/{node}/qemu/{vmid}/agent…` (recording agent). */
import type { GuestAgent } from '../../../lab.js';
import { type Call, type Handlers, PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { nodeOf, vmidOf } from '../../http/request.js';
import { loadVm } from '../vms.js';

const BASE = '/nodes/{node}/qemu/{vmid}/agent';

/** Commands of the guest agent and how they are called. */
const COMMANDS: Readonly<Record<string, 'GET' | 'POST'>> = {
  'fsfreeze-freeze': 'POST',
  'fsfreeze-status': 'POST',
  'fsfreeze-thaw': 'POST',
  fstrim: 'POST',
  'get-fsinfo': 'GET',
  'get-host-name': 'GET',
  'get-memory-block-info': 'GET',
  'get-memory-blocks': 'GET',
  'get-osinfo': 'GET',
  'get-time': 'GET',
  'get-timezone': 'GET',
  'get-users': 'GET',
  'get-vcpus': 'GET',
  info: 'GET',
  'network-get-interfaces': 'GET',
  ping: 'POST',
  shutdown: 'POST',
  'suspend-disk': 'POST',
  'suspend-hybrid': 'POST',
  'suspend-ram': 'POST',
};

const OTHERS = ['exec', 'exec-status', 'file-read', 'file-write', 'set-user-password'];

export const agentHandlers: Handlers = {
  [`GET ${BASE}`]: () => [...Object.keys(COMMANDS), ...OTHERS].sort().map((name) => ({ name })),
  [`POST ${BASE}`]: (call) => run(call, call.text('command') ?? ''),
  ...Object.fromEntries(
    Object.entries(COMMANDS).map(([command, method]) => [
      `${method} ${BASE}/${command}`,
      (call: Call) => run(call, command),
    ]),
  ),
  [`POST ${BASE}/exec`]: (call) => refuse(call, 'exec'),
  [`GET ${BASE}/exec-status`]: (call) => refuse(call, 'exec-status'),
  [`GET ${BASE}/file-read`]: (call) => refuse(call, 'file-open'),
  [`POST ${BASE}/file-write`]: (call) => refuse(call, 'file-open'),
  [`POST ${BASE}/set-user-password`]: (call) => refuse(call, 'set-user-password'),
};

/** Of guests without a machine room: the answers of the recordings' stand-in. */
const STAND_IN: GuestAgent = {
  hostname: 'talos',
  interfaces: [
    { name: 'lo', mac: '00:00:00:00:00:00', addresses: [{ ip: '127.0.0.1', prefix: 8 }] },
    { name: 'eth0', mac: 'BC:24:11:00:00:01', addresses: [{ ip: '10.99.0.50', prefix: 24 }] },
  ],
};

function requireAgent(call: Call): { vm: VmRecord; agent: GuestAgent } {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  if (vm.config.agent === undefined) throw new PveError(500, 'No QEMU guest agent configured');
  if (!vm.running) throw new PveError(500, `VM ${vm.vmid} is not running`);
  const agent = call.pve.machines ? call.pve.machines.agent(vm.vmid) : STAND_IN;
  if (!agent || vm.running.paused) throw new PveError(500, 'QEMU guest agent is not running');
  return { vm, agent };
}

function run(call: Call, command: string): unknown {
  const { vm, agent } = requireAgent(call);
  const result = answer(call, vm, agent, command);
  if (result === undefined) throw unknownCommand(vm.vmid, command);
  return { result };
}

function refuse(call: Call, command: string): never {
  throw unknownCommand(requireAgent(call).vm.vmid, command);
}

/** As the agent of a guest says of what it does not offer. */
function unknownCommand(vmid: number, command: string): PveError {
  return new PveError(
    500,
    `VM ${vmid} qmp command 'guest-${command}' failed - The command guest-${command} has been disabled for this instance`,
  );
}

function answer(call: Call, vm: VmRecord, agent: GuestAgent, command: string): unknown {
  switch (command) {
    case 'ping':
      return {};
    case 'get-host-name':
      return { 'host-name': agent.hostname };
    case 'get-osinfo':
      return { id: 'talos', name: 'Talos', 'kernel-release': '6.12' };
    case 'get-time':
      return call.pve.core.clock.now() * 1_000_000;
    case 'get-timezone':
      return { zone: 'UTC', offset: 0 };
    case 'get-vcpus': {
      const { sockets = '1', cores = '1' } = vm.running?.config ?? {};
      return Array.from({ length: Number(sockets) * Number(cores) }, (_, id) => ({
        'logical-id': id,
        online: true,
        'can-offline': id > 0,
      }));
    }
    case 'info':
      return {
        version: '10.0.0',
        supported_commands: ['ping', 'get-host-name', 'get-osinfo', 'network-get-interfaces'].map((name) => ({
          name: `guest-${name}`,
          enabled: true,
          'success-response': true,
        })),
      };
    case 'network-get-interfaces':
      return agent.interfaces.map(({ name, mac, addresses }) => ({
        name,
        'hardware-address': mac.toLowerCase(),
        'ip-addresses': addresses.map(({ ip, prefix }) => ({
          'ip-address': ip,
          'ip-address-type': ip.includes(':') ? 'ipv6' : 'ipv4',
          prefix,
        })),
      }));
    case 'shutdown':
      call.pve.machines?.shutdown(vm.vmid);
      return {};
    default:
      return undefined;
  }
}
