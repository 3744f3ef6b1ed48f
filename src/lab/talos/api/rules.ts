/** Who may call what: the role table of machined (services/machined.go, `rules`). */

export const ADMIN = 'os:admin';
const OPERATOR = 'os:operator';
export const READER = 'os:reader';
const ETCD_BACKUP = 'os:etcd:backup';
const META_WRITER = 'os:meta:writer';
const IMAGE_VERIFIER = 'os:image:verifier';

const READERS = [ADMIN, OPERATOR, READER];
const OPERATORS = [ADMIN, OPERATOR];
const ETCD_READERS = [...READERS, ETCD_BACKUP];

/** Readers only in maintenance mode; the handler looks. */
const IN_MAINTENANCE = [ADMIN, READER];

const RULES: Readonly<Record<string, readonly string[]>> = {
  '/cluster.ClusterService/HealthCheck': READERS,
  '/cosi.resource.State/Get': READERS,
  '/cosi.resource.State/List': READERS,
  '/cosi.resource.State/Watch': READERS,
  '/inspect.InspectService/ControllerRuntimeDependencies': READERS,
  '/machine.ImageService/List': READERS,
  '/machine.ImageService/Pull': OPERATORS,
  '/machine.ImageService/Verify': [...READERS, IMAGE_VERIFIER],
  '/machine.LVMService/LogicalVolumeRemove': IN_MAINTENANCE,
  '/machine.LVMService/PhysicalVolumeRemove': IN_MAINTENANCE,
  '/machine.LVMService/VolumeGroupRemove': IN_MAINTENANCE,
  '/machine.MDService/Destroy': IN_MAINTENANCE,
  '/machine.MachineService/ApplyConfiguration': IN_MAINTENANCE,
  '/machine.MachineService/CPUFreqStats': READERS,
  '/machine.MachineService/CPUInfo': READERS,
  '/machine.MachineService/Containers': READERS,
  '/machine.MachineService/DiskStats': READERS,
  '/machine.MachineService/DiskUsage': READERS,
  '/machine.MachineService/Dmesg': READERS,
  '/machine.MachineService/EtcdAlarmDisarm': OPERATORS,
  '/machine.MachineService/EtcdAlarmList': ETCD_READERS,
  '/machine.MachineService/EtcdDefragment': OPERATORS,
  '/machine.MachineService/EtcdMemberList': ETCD_READERS,
  '/machine.MachineService/EtcdSnapshot': [...OPERATORS, ETCD_BACKUP],
  '/machine.MachineService/EtcdStatus': ETCD_READERS,
  '/machine.MachineService/Events': READERS,
  '/machine.MachineService/Hostname': READERS,
  '/machine.MachineService/ImageList': READERS,
  '/machine.MachineService/ImagePull': OPERATORS,
  '/machine.MachineService/List': READERS,
  '/machine.MachineService/LoadAvg': READERS,
  '/machine.MachineService/Logs': READERS,
  '/machine.MachineService/LogsContainers': READERS,
  '/machine.MachineService/Memory': READERS,
  '/machine.MachineService/MetaDelete': [ADMIN, META_WRITER],
  '/machine.MachineService/MetaWrite': [ADMIN, META_WRITER],
  '/machine.MachineService/Mounts': READERS,
  '/machine.MachineService/Netstat': READERS,
  '/machine.MachineService/NetworkDeviceStats': READERS,
  '/machine.MachineService/PacketCapture': OPERATORS,
  '/machine.MachineService/Processes': READERS,
  '/machine.MachineService/Reboot': OPERATORS,
  '/machine.MachineService/Restart': OPERATORS,
  '/machine.MachineService/ServiceList': READERS,
  '/machine.MachineService/ServiceRestart': OPERATORS,
  '/machine.MachineService/ServiceStart': OPERATORS,
  '/machine.MachineService/ServiceStop': OPERATORS,
  '/machine.MachineService/Shutdown': OPERATORS,
  '/machine.MachineService/Stats': READERS,
  '/machine.MachineService/SystemStat': READERS,
  '/machine.MachineService/Version': READERS,
  '/storage.StorageService/BlockDeviceWipe': IN_MAINTENANCE,
  '/storage.StorageService/Disks': READERS,
  '/time.TimeService/Time': READERS,
  '/time.TimeService/TimeCheck': READERS,
};

/** A method without a rule is for admins. */
export function mayCall(method: string, roles: ReadonlySet<string>): boolean {
  return (RULES[method] ?? [ADMIN]).some((role) => roles.has(role));
}
