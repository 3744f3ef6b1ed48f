/** Who may call what: the role table of machined (services/machined.go, `rules`). */

export const ADMIN = 'os:admin';
const OPERATOR = 'os:operator';
export const READER = 'os:reader';
const ETCD_BACKUP = 'os:etcd:backup';
const META_WRITER = 'os:meta:writer';

const READERS = [ADMIN, OPERATOR, READER];
const OPERATORS = [ADMIN, OPERATOR];
const ETCD_READERS = [...READERS, ETCD_BACKUP];

const RULES: Readonly<Record<string, readonly string[]>> = {
  '/cluster.ClusterService/HealthCheck': READERS,
  '/cosi.resource.State/Get': READERS,
  '/cosi.resource.State/List': READERS,
  '/cosi.resource.State/Watch': READERS,
  '/machine.ImageService/List': READERS,
  '/machine.ImageService/Pull': OPERATORS,
  // Readers only in maintenance mode; the handler looks.
  '/machine.MachineService/ApplyConfiguration': [ADMIN, READER],
  '/machine.MachineService/Dmesg': READERS,
  '/machine.MachineService/EtcdAlarmDisarm': OPERATORS,
  '/machine.MachineService/EtcdAlarmList': ETCD_READERS,
  '/machine.MachineService/EtcdDefragment': OPERATORS,
  '/machine.MachineService/EtcdMemberList': ETCD_READERS,
  '/machine.MachineService/EtcdSnapshot': [ADMIN, OPERATOR, ETCD_BACKUP],
  '/machine.MachineService/EtcdStatus': ETCD_READERS,
  '/machine.MachineService/Events': READERS,
  '/machine.MachineService/Hostname': READERS,
  '/machine.MachineService/ImagePull': OPERATORS,
  '/machine.MachineService/Logs': READERS,
  '/machine.MachineService/MetaDelete': [ADMIN, META_WRITER],
  '/machine.MachineService/MetaWrite': [ADMIN, META_WRITER],
  '/machine.MachineService/Reboot': OPERATORS,
  '/machine.MachineService/ServiceList': READERS,
  '/machine.MachineService/ServiceRestart': OPERATORS,
  '/machine.MachineService/Shutdown': OPERATORS,
  '/machine.MachineService/Version': READERS,
  '/storage.StorageService/BlockDeviceWipe': [ADMIN, READER],
  '/storage.StorageService/Disks': READERS,
  '/time.TimeService/Time': READERS,
};

/** A method without a rule is for admins. */
export function mayCall(method: string, roles: ReadonlySet<string>): boolean {
  return (RULES[method] ?? [ADMIN]).some((role) => roles.has(role));
}
