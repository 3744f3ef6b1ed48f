/** What runs and how (recordings vm-create-seabios, cluster-overview, power). */
import { parseBoolean, parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import type { Call, Handlers, Pve } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { isManaged } from '../../ha/resources.js';
import { nodeOf, vmidOf } from '../../http/request.js';
import { QEMU_VERSION } from '../../version.js';
import { bootDisks } from '../config/boot-order.js';
import { numbered } from '../config/config-keys.js';
import { displayStatus } from '../config/display.js';
import { type Config, memoryOf } from '../config/vm-config.js';
import { isCdrom, parseDrive } from '../disks/drives.js';
import { loadVm } from '../vms.js';

export const statusHandlers: Handlers = {
  'GET /nodes/{node}/qemu': (call) =>
    [...call.pve.db.vms.values()]
      .filter((vm) => vm.host === nodeOf(call) && call.allows(`/vms/${vm.vmid}`, ['VM.Audit']))
      .map((vm) => vmStatus(call.pve, vm, call.flag('full'))),
  'GET /nodes/{node}/qemu/{vmid}/status': (call) => {
    loadVm(call.pve, nodeOf(call), vmidOf(call));
    return COMMANDS.map((subdir) => ({ subdir }));
  },
  'GET /nodes/{node}/qemu/{vmid}/status/current': currentStatus,
};

const COMMANDS = ['current', 'start', 'stop', 'reset', 'shutdown', 'suspend', 'reboot'];

const MEBIBYTE = 1024 ** 2;

/** `full`: with what only QEMU itself can tell. */
function vmStatus(pve: Pve, vm: VmRecord, full: boolean): Record<string, unknown> {
  const { config, running } = vm;
  const cpus = Number(config.sockets ?? 1) * Number(config.cores ?? 1);
  const balloon = Number(config.balloon ?? 0);
  const memory = memoryOf(config.memory) * MEBIBYTE;
  return {
    vmid: vm.vmid,
    name: config.name ?? `VM ${vm.vmid}`,
    status: running ? 'running' : 'stopped',
    cpus: Number(config.vcpus ?? Math.min(cpus, pve.db.hosts.get(vm.host)?.cpus ?? cpus)),
    maxmem: memory,
    maxdisk: bootDiskSize(config),
    disk: 0,
    cpu: running ? 0.01 : 0,
    mem: running ? Math.floor(memory / 4) : 0,
    memhost: running ? Math.floor(memory / 4) : 0,
    netin: 0,
    netout: 0,
    uptime: running ? Math.floor((pve.core.clock.now() - running.since) / 1000) : 0,
    ...(balloon > 0 ? { balloon_min: balloon * MEBIBYTE, shares: Number(config.shares ?? 1000) } : {}),
    ...(vm.template ? { template: 1 } : {}),
    ...(Object.keys(config).some((key) => numbered(key)?.name === 'serial') ? { serial: 1 } : {}),
    ...(config.lock === undefined ? {} : { lock: config.lock }),
    ...(config.tags === undefined ? {} : { tags: config.tags }),
    ...(running ? { pid: running.pid, ...NO_PRESSURE } : {}),
    ...(full ? qemuStatus(vm) : {}),
  };
}

const NO_PRESSURE = {
  pressurecpusome: 0,
  pressurecpufull: 0,
  pressureiosome: 0,
  pressureiofull: 0,
  pressurememorysome: 0,
  pressurememoryfull: 0,
};

function qemuStatus({ config, running }: VmRecord): Record<string, unknown> {
  if (!running) return { qmpstatus: 'stopped' };
  return {
    qmpstatus: running.paused ? 'paused' : 'running',
    diskread: 0,
    diskwrite: 0,
    'running-qemu': running.qemu ?? QEMU_VERSION,
    'running-machine': runningMachine(running, config),
    'proxmox-support': {},
  };
}

/** The machine type with the version that QEMU had when it was started. */
export function runningMachine(running: NonNullable<VmRecord['running']>, config: Config): string {
  const machine = parsePropertyString(running.config.machine ?? config.machine ?? 'pc', 'type').type ?? 'pc';
  if (/^pc-/.test(machine)) return machine;
  const version = (running.qemu ?? QEMU_VERSION).replace(/\.\d+$/, '');
  return `${machine.includes('q35') ? 'pc-q35' : 'pc-i440fx'}-${version}+pve0`;
}

function bootDiskSize(config: Config): number {
  for (const device of bootDisks(config)) {
    const line = config[device];
    if (line === undefined) continue;
    const drive = parseDrive(line);
    if (!isCdrom(drive)) return drive.size ?? 0;
  }
  return 0;
}

function hasAgent(config: Config): boolean {
  const { enabled } = parsePropertyString((config.agent ?? '0').trim(), 'enabled');
  return parseBoolean(enabled ?? '0') === true;
}

function currentStatus(call: Call): unknown {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const sid = `vm:${vm.vmid}`;
  const service = call.pve.db.haServices.get(sid);
  return {
    ...vmStatus(call.pve, vm, true),
    ha: isManaged(call.pve, sid) ? { managed: 1, state: service?.state ?? null } : { managed: 0 },
    ...displayStatus(vm.config.vga),
    ...(hasAgent(vm.config) ? { agent: 1 } : {}),
  };
}
