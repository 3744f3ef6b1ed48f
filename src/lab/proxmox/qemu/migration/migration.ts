/** A VM goes to another host, step by step, with its local volumes (qemu-server `QemuMigrate`). */
import { type Pve, PveError, type TaskAgain, type TaskContext } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { hostAddress } from '../../host-address.js';
import { hostIsUp } from '../../quorum.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import { requireVolume } from '../../storage/volume-operations.js';
import { errorText } from '../../tasks/task-error.js';
import { qemuOf } from '../../version.js';
import { type Config, memoryOf } from '../config/vm-config.js';
import { drivesOf, isPlainCdrom, namesVolume, parseDrive, printDrive, withSize } from '../disks/drives.js';
import { runningMachine } from '../power/status.js';
import { findVm, loadVm, saveVm } from '../vms.js';
import { assertDevices } from './migration-devices.js';
import { beginCopy, copyTime, dropVolume, endCopy, scan } from './migration-volumes.js';

export interface Migration {
  readonly host: string;
  readonly vmid: number;
  readonly target: string;
  readonly withLocalDisks: boolean;
  readonly force: boolean;
  /** KiB per second. */
  readonly bwlimit?: number;
  readonly storages?: { readonly entries: Readonly<Record<string, string>>; readonly other?: string };
  readonly progress?: Progress;
}

interface Progress {
  readonly begun: number;
  /** Still to be copied; the first one is under way. */
  readonly volumes: readonly string[];
  /** Old volid → new one, those under way included. */
  readonly copies: Readonly<Record<string, string>>;
  readonly live?: boolean;
}

export function unlockMigration(pve: Pve, { host, vmid }: Pick<Migration, 'host' | 'vmid'>): void {
  const vm = findVm(pve, host, vmid);
  if (!vm) return;
  const { lock, ...config } = vm.config;
  const { lockHolder: _holder, ...rest } = vm;
  pve.db.vms.put(String(vmid), { ...rest, config: lock === 'migrate' ? config : vm.config });
}

type Log = (line: string) => void;

export function migrate(pve: Pve, migration: Migration, task: TaskContext): TaskAgain | undefined {
  const now = pve.core.clock.now();
  const stamp = new Date(now).toISOString().slice(0, 19).replace('T', ' ');
  const log = (line: string) => task.log(`${stamp} ${line}`);
  const begun = migration.progress?.begun ?? now;
  const duration = () => new Date(now - begun).toISOString().slice(11, 19);
  let scanned = migration.progress !== undefined;
  try {
    const next = step(pve, migration, begun, log, () => {
      scanned = true;
    });
    if (next) return next;
  } catch (error) {
    if (scanned) {
      log(`ERROR: ${errorText(error)}`);
      log('aborting phase 1 - cleanup resources');
    }
    for (const copy of Object.values(migration.progress?.copies ?? {})) {
      dropVolume(pve, migration.target, copy);
    }
    unlockMigration(pve, migration);
    log(`ERROR: migration aborted (duration ${duration()}): ${errorText(error)}`);
    throw new PveError(500, 'migration aborted');
  }
  log(`migration finished successfully (duration ${duration()})`);
  return undefined;
}

function step(
  pve: Pve,
  migration: Migration,
  begun: number,
  log: Log,
  onScan: () => void,
): TaskAgain | undefined {
  const { host, vmid, progress } = migration;
  if (!progress) {
    assertReachable(pve, migration, log);
    const vm = loadVm(pve, host, vmid);
    if (vm.running) {
      log('conntrack state migration not supported or disabled, active connections might get dropped');
    }
    assertDevices(pve, vm, migration);
    log(
      `starting migration of VM ${vmid} to node '${migration.target}' (${addressOf(pve, migration.target)})`,
    );
    onScan();
    const volumes = scan(pve, vm, migration, log);
    updateSizes(pve, vm, log);
    if (volumes.length > 0) log('copying local disk images');
    return goOn(pve, { ...migration, progress: { begun, volumes, copies: {} } }, log);
  }
  const [done, ...volumes] = progress.volumes;
  const copied = done === undefined ? undefined : progress.copies[done];
  if (done !== undefined && copied !== undefined) {
    assertReachable(pve, migration, log);
    endCopy(pve, migration, done, copied, log);
    return goOn(pve, { ...migration, progress: { ...progress, volumes } }, log);
  }
  return goOn(pve, migration, log);
}

/** The next copy, then the memory of a running VM, then the config. */
function goOn(pve: Pve, migration: Migration, log: Log): TaskAgain | undefined {
  const { host, vmid, progress } = migration;
  if (!progress) return undefined;
  const [next] = progress.volumes;
  if (next !== undefined) {
    const copies = { ...progress.copies, [next]: beginCopy(pve, migration, next, log) };
    return {
      again: copyTime(pve, migration, next),
      args: { ...migration, progress: { ...progress, copies } },
    };
  }
  const vm = loadVm(pve, host, vmid);
  if (vm.running && !progress.live) {
    log(`starting VM ${vmid} on remote node '${migration.target}'`);
    assertQemu(pve, vm, migration);
    log('start remote tunnel');
    log(`starting online/live migration on unix:/run/qemu-server/${vmid}.migrate`);
    const memory = memoryOf(vm.running.config.memory) * 1024 ** 2;
    const rate = migration.bwlimit ? migration.bwlimit * 1024 : 1_000_000_000;
    return {
      again: Math.ceil(1_000 + (memory / rate) * 1000),
      args: { ...migration, progress: { ...progress, live: true } },
    };
  }
  assertReachable(pve, migration, log);
  if (progress.live) log('migration completed');
  arrive(pve, vm, migration, new Map(Object.entries(progress.copies)));
  return undefined;
}

/** The config is on the target from here on, and the machine, if it runs, goes on there. */
function arrive(
  pve: Pve,
  vm: VmRecord,
  { host, target }: Migration,
  moved: ReadonlyMap<string, string>,
): void {
  delete vm.config.lock;
  const { lockHolder: _holder, ...rest } = vm;
  for (const volid of moved.keys()) dropVolume(pve, host, volid);
  saveVm(pve, renamed({ ...rest, host: target }, moved));
}

function addressOf(pve: Pve, host: string): string {
  return hostAddress(pve.db.hosts.get(host)?.bridges ?? []) ?? host;
}

function assertReachable(pve: Pve, { target }: Migration, log: Log): void {
  if (hostIsUp(pve, target)) return;
  const address = addressOf(pve, target);
  log(
    `# /usr/bin/ssh -e none -o 'BatchMode=yes' -o 'HostKeyAlias=${target}' -o 'UserKnownHostsFile=/etc/pve/nodes/${target}/ssh_known_hosts' -o 'GlobalKnownHostsFile=none' root@${address} /bin/true`,
  );
  log(`ssh: connect to host ${address} port 22: No route to host`);
  throw new PveError(500, "Can't connect to destination address using public key");
}

/** The machine goes on with the version it was started with (qemu-server `PVE/QemuServer.pm`, `vm_start_nolock`). */
function assertQemu(pve: Pve, { running, config }: VmRecord, { target }: Migration): void {
  const installed = qemuOf(pve.db.hosts.get(target));
  if (!running) return;
  const machine = runningMachine(running, config);
  const [, wanted] = /-(\d+\.\d+)/.exec(machine) ?? [];
  const number = (version: string) => {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return major * 1_000 + minor;
  };
  if (wanted === undefined || number(wanted) <= number(installed)) return;
  throw new PveError(
    500,
    `Installed QEMU version '${installed}' is too old to run machine type '${machine}', please upgrade node '${target}'`,
  );
}

/** What a drive's line says of its size is put right, of the cloud-init drive too. */
function updateSizes(pve: Pve, vm: VmRecord, log: Log): void {
  let changed = false;
  for (const { key, drive } of drivesOf(vm.config)) {
    if (isPlainCdrom(drive) || !splitVolumeId(drive.file)) continue;
    const { size } = requireVolume(pve, vm.host, drive.file);
    if (drive.size === size) continue;
    const was = drive.size === undefined ? '0T' : printedSize(drive.size);
    log(`drive '${key}': size of disk '${drive.file}' updated from ${was} to ${printedSize(size)}`);
    vm.config[key] = printDrive(withSize(drive, size));
    changed = true;
  }
  if (changed) saveVm(pve, vm);
}

function printedSize(size: number): string {
  return printDrive(withSize({ file: 'x', options: {} }, size)).replace(/^.*size=/, '');
}

function renamed(vm: VmRecord, moved: ReadonlyMap<string, string>): VmRecord {
  const rename = (config: Config): Config => {
    const result: Config = { ...config };
    for (const [key, line] of Object.entries(config)) {
      if (!namesVolume(key)) continue;
      const drive = parseDrive(line);
      const file = splitVolumeId(drive.file) && moved.get(drive.file);
      if (file) result[key] = printDrive({ ...drive, file });
    }
    return result;
  };
  const snapshots = Object.fromEntries(
    Object.entries(vm.snapshots).map(([name, snapshot]) => [
      name,
      { ...snapshot, config: rename(snapshot.config) },
    ]),
  );
  return {
    ...vm,
    config: rename(vm.config),
    pending: { ...vm.pending, set: rename(vm.pending.set) },
    snapshots,
    ...(vm.running ? { running: { ...vm.running, config: rename(vm.running.config) } } : {}),
  };
}
