import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { ClusterService } from '../../../clients/talos/gen/cluster/cluster_pb.js';
import { Disk_DiskType, type StorageService } from '../../../clients/talos/gen/storage/storage_pb.js';
import type { TimeService } from '../../../clients/talos/gen/time/time_pb.js';
import type { Machine } from '../machine/machine.js';
import { reachesOutside } from '../network/network-path.js';
import { clockOffset } from '../services/services.js';
import { TIMING } from '../timing.js';
import { viewDisks } from '../volumes/disks.js';
import { type Endpoint, fail, requireControlPlane } from './caller.js';
import { healthCheck } from './health-check.js';

type Target = (context: HandlerContext) => Endpoint;

export function timeService(target: Target): ServiceImpl<typeof TimeService> {
  return {
    time: (_request, context) => askTime(target(context).machine, TIME_SERVER),
    timeCheck: ({ server }, context) => askTime(target(context).machine, server || TIME_SERVER),
  };
}

const TIME_SERVER = 'time.cloudflare.com';

/** Asks the server now: behind a wrong gateway nothing answers. */
async function askTime(machine: Machine, server: string) {
  const { clock } = machine.room.core;
  if (!reachesOutside(machine)) {
    await clock.sleep(TIMING.timeQuery);
    fail(Code.Unknown, `error querying NTP server "${server}": lookup ${server}: i/o timeout`);
  }
  const localtime = timestampFromMs(clock.now() + clockOffset(machine));
  return { messages: [{ server, localtime, remotetime: timestampFromMs(clock.now()) }] };
}

export function storageService(target: Target): ServiceImpl<typeof StorageService> {
  return {
    disks(_request, context) {
      const { machine } = target(context);
      const disks = viewDisks(machine.hardware).map((disk) => ({
        size: BigInt(disk.size),
        model: disk.model,
        deviceName: disk.devPath,
        name: disk.id,
        wwid: disk.wwid,
        type: disk.cdrom ? Disk_DiskType.CD : disk.rotational ? Disk_DiskType.HDD : Disk_DiskType.SSD,
        busPath: disk.busPath,
        systemDisk: disk.slot === machine.systemDrive?.slot,
        subsystem: '/sys/class/block',
        readonly: disk.readonly,
      }));
      return { messages: [{ disks }] };
    },
    blockDeviceWipe({ devices }, context) {
      const { machine } = target(context);
      const disks = viewDisks(machine.hardware);
      const slots = devices.map(({ device }) => {
        const disk = disks.find((one) => one.id === device);
        if (!disk) fail(Code.NotFound, `blockdevice "${device}" not found`);
        const used = machine.record.volumes.find(
          (volume) => volume.slot === disk.slot && volume.phase === 'ready',
        );
        if (used) fail(Code.FailedPrecondition, `blockdevice "${device}" is in use by volume "${used.id}"`);
        return disk.slot;
      });
      for (const slot of slots) machine.room.hypervisor.write(machine.vmid, slot, () => ({}));
      machine.changed();
      return { messages: [{}] };
    },
  };
}

export function clusterService(target: Target): ServiceImpl<typeof ClusterService> {
  return {
    async *healthCheck(request, context) {
      const { machine } = target(context);
      requireControlPlane(machine, 'cluster health check');
      yield* healthCheck(machine, request, context.signal);
    },
  };
}
