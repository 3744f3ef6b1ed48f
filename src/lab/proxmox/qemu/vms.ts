/** Finding and writing VMs: every change of a config goes through here. */
import { type Pve, PveError } from '../api.js';
import type { VmRecord } from '../db.js';
import { hasQuorum } from '../quorum.js';
import { asWritten, type Config } from './config/vm-config.js';

export function findVm(pve: Pick<Pve, 'db'>, node: string, vmid: number): VmRecord | undefined {
  const vm = pve.db.vms.get(String(vmid));
  return vm?.host === node ? vm : undefined;
}

/** A copy to work on; nothing is changed until it is saved. */
export function loadVm(pve: Pick<Pve, 'db'>, node: string, vmid: number): VmRecord {
  const vm = findVm(pve, node, vmid);
  if (!vm) {
    throw new PveError(500, `Configuration file 'nodes/${node}/qemu-server/${vmid}.conf' does not exist`);
  }
  return structuredClone(vm);
}

/** Calls that ask for the process first say it in other words (recording power). */
export function requireRunning(pve: Pick<Pve, 'db'>, node: string, vmid: number): VmRecord {
  const vm = requireOnNode(pve, node, vmid);
  if (!vm.running) throw new PveError(500, `VM ${vmid} not running`);
  return vm;
}

export function requireOnNode(pve: Pick<Pve, 'db'>, node: string, vmid: number): VmRecord {
  const vm = findVm(pve, node, vmid);
  if (!vm) throw new PveError(500, `unable to find configuration file for VM ${vmid} on node '${node}'`);
  return vm;
}

/** A member without quorum cannot write below /etc/pve (recording no-quorum). */
export function assertWritable(pve: Pve, node: string, vmid: number): void {
  if (hasQuorum(pve)) return;
  const file = `/etc/pve/nodes/${node}/qemu-server/${vmid}.conf.tmp.${1000 + pve.core.random.below(30_000)}`;
  throw new PveError(500, `unable to open file '${file}' - Permission denied`);
}

/** A name of the caller's, such as `constructor`, is no more than a name. */
export function snapshotOf<T>(
  { snapshots = {} }: { readonly snapshots?: Readonly<Record<string, T>> },
  name: string,
): T | undefined {
  return Object.hasOwn(snapshots, name) ? snapshots[name] : undefined;
}

/** Writes the config; what reads back differs a little, so work on with the result. */
export function saveVm(pve: Pve, vm: VmRecord): VmRecord {
  assertWritable(pve, vm.host, vm.vmid);
  const written = asWritten(vm);
  pve.db.vms.put(String(vm.vmid), written);
  return structuredClone(written);
}

/** Whether the VM runs is the host's own knowledge: it needs no quorum. */
export function saveRunState(
  pve: Pick<Pve, 'db'>,
  vmid: number,
  change: Pick<Partial<VmRecord>, 'rebootRequested'> & { running: VmRecord['running'] | undefined },
): void {
  pve.db.vms.update(String(vmid), ({ running: _was, rebootRequested: asked, ...vm }) => {
    const request = change.rebootRequested ?? asked;
    return {
      ...vm,
      ...(change.running ? { running: change.running } : {}),
      ...(request ? { rebootRequested: true } : {}),
    };
  });
}

export function removeVm(pve: Pve, vm: VmRecord): void {
  assertWritable(pve, vm.host, vm.vmid);
  pve.db.vms.delete(String(vm.vmid));
}

export function assertUnlocked(config: Config): void {
  if (config.lock) throw new PveError(500, `VM is locked (${config.lock})`);
}

export function assertUnprotected(config: Config, what: string): void {
  if (config.protection === '1') throw new PveError(500, `${what} - protection mode enabled`);
}
