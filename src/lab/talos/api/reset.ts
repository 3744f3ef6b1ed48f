import { Code } from '@connectrpc/connect';
import { type ResetRequest, ResetRequest_WipeMode } from '../../../clients/talos/gen/machine/machine_pb.js';
import { etcdHealthy } from '../services/services.js';
import { TIMING } from '../timing.js';
import { viewDisks } from '../volumes/disks.js';
import { dropPartitions } from '../volumes/partitions.js';
import { type Endpoint, fail } from './caller.js';

/** Wipes what was asked for, then boots again or switches off. Texts of bad input are the real handler's. */
export function reset({ machine, lifecycle }: Endpoint, request: ResetRequest, actor: string): void {
  const { hypervisor, etcd } = machine.room;
  const disks = viewDisks(machine.hardware);
  const wipeDisks = request.userDisksToWipe.map((device) => {
    const disk = disks.find((one) => one.devPath === device);
    if (request.mode === ResetRequest_WipeMode.SYSTEM_DISK) {
      fail(
        Code.Unknown,
        "reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter",
      );
    }
    if (!disk) fail(Code.Unknown, `reset user disk failed: device ${device} wasn't found`);
    if (disk.readonly) fail(Code.Unknown, `reset user disk failed: device ${device} is readonly`);
    if (disk.slot === machine.systemDrive?.slot) {
      fail(Code.Unknown, `reset user disk failed: device ${device} is the system disk`);
    }
    return disk.slot;
  });
  const partitions = request.systemPartitionsToWipe.filter(({ wipe }) => wipe).map(({ label }) => label);
  if (request.systemPartitionsToWipe.length > 0 && request.mode === ResetRequest_WipeMode.USER_DISKS) {
    fail(
      Code.Unknown,
      "reset failed: invalid input, wipe mode USER_DISKS doesn't support SystemPartitionsToWipe parameter",
    );
  }
  for (const { label } of request.systemPartitionsToWipe) {
    if (label !== 'META' && !machine.record.volumes.some((volume) => volume.id === label)) {
      fail(
        Code.Unknown,
        `failed to get volume status with label "${label}": resource VolumeStatuses.block.talos.dev(runtime/${label}@undefined) doesn't exist`,
      );
    }
  }

  const data = machine.etcdData;
  if (request.graceful && data && etcdHealthy(machine)) etcd.remove(data.clusterId, data.memberId);
  for (const slot of wipeDisks) hypervisor.write(machine.vmid, slot, () => ({}));
  if (partitions.length > 0) {
    for (const label of partitions) {
      const slot =
        machine.record.volumes.find((volume) => volume.id === label)?.slot ?? machine.systemDrive?.slot;
      if (slot) hypervisor.write(machine.vmid, slot, (content) => dropPartitions(content, [label]));
    }
  } else if (request.mode !== ResetRequest_WipeMode.USER_DISKS && machine.systemDrive) {
    hypervisor.write(machine.vmid, machine.systemDrive.slot, () => ({}));
  }
  lifecycle.stop(machine, 'resetting', request.reboot ? 'boot' : 'off', { actor, delay: TIMING.wipe });
}
