/** The disks of a twin's machines: an installed Talos with its config, volumes where they are, etcd's data. */
import { hashParts } from '../../formats/text/hash.js';
import type { Firmware, VolumeContent } from '../lab.js';
import type { PveDb } from '../proxmox/db.js';
import { parseBootOrder } from '../proxmox/qemu/config/boot-order.js';
import { drivesOf, isCdrom, isCloudInit } from '../proxmox/qemu/disks/drives.js';
import { findVolume, putVolume } from '../proxmox/volumes.js';
import { readConfigFacts } from '../talos/config/config-facts.js';
import type { TalosDb } from '../talos/machine/machine-record.js';
import { addPartition, WHOLE_DISK, writePartitionData } from '../talos/volumes/partitions.js';
import { installedDisk } from '../talos/volumes/system-disk.js';
import type { VolumeSpec } from '../talos/volumes/volume-spec.js';
import type { TwinEtcd, TwinMachine, TwinState } from './twin-state.js';

/** Another id than any real cluster's: its data is this twin's alone. */
const ETCD_CLUSTER = '1';

export function seedMachines(db: PveDb, talos: TalosDb, state: TwinState): { readonly etcdCluster: string } {
  for (const machine of state.machines) seedDisks(db, machine);
  if (state.etcd) seedEtcd(talos, state.etcd, ownerOf(state.machines));
  return { etcdCluster: ETCD_CLUSTER };
}

function ownerOf(machines: readonly TwinMachine[]): string {
  for (const { config } of machines) {
    const owner = config === undefined ? undefined : readConfigFacts(config).etcdOwner;
    if (owner !== undefined) return owner;
  }
  return '';
}

function seedEtcd(talos: TalosDb, { members, leader, alarms }: TwinEtcd, owner: string): void {
  talos.etcd.put(ETCD_CLUSTER, {
    id: ETCD_CLUSTER,
    owner,
    members: [...members],
    leader,
    term: 2,
    index: 1_000,
    revision: 1_000,
    alarms: [...alarms],
  });
}

function seedDisks(db: PveDb, machine: TwinMachine): void {
  const vm = db.vms.get(String(machine.vmid));
  if (!vm) return;
  const drives = drivesOf(vm.config).filter(
    ({ key, drive }) => key !== 'efidisk0' && key !== 'tpmstate0' && !isCdrom(drive) && !isCloudInit(drive),
  );
  const write = (slot: string, change: (content: VolumeContent) => VolumeContent): void => {
    const drive = drives.find(({ key }) => key === slot)?.drive;
    const volume = drive && findVolume(db, vm.host, drive.file);
    const storage = volume && db.storages.get(volume.storage);
    if (volume && storage) putVolume(db, storage, { ...volume, data: change(volume.data) });
  };
  const system = parseBootOrder(vm.config.boot).find((slot) => drives.some(({ key }) => key === slot));
  const firmware = vm.config.bios === 'ovmf' ? 'uefi' : 'bios';
  if (system !== undefined) write(system, () => systemDisk(machine, firmware));
  if (machine.config === undefined) return;
  for (const spec of readConfigFacts(machine.config).volumes) {
    const place = machine.volumes[spec.id];
    if (!place || spec.id === 'STATE') continue;
    write(place.slot, (content) => withVolume(content, spec, place.size, machine));
  }
}

function systemDisk({ vmid, config, schematic, version }: TwinMachine, firmware: Firmware): VolumeContent {
  const installed = installedDisk('amd64', { schematic, version }, firmware);
  if (config === undefined) return installed;
  const nodeId = hashParts(['twin', String(vmid)]).slice(0, 44);
  return writePartitionData(installed, 'STATE', { config, nodeId });
}

/** Without a file system: the first boot makes it, as the config says, and finds the volume where it is. */
function withVolume(
  content: VolumeContent,
  spec: VolumeSpec,
  size: number,
  { vmid, member }: TwinMachine,
): VolumeContent {
  if (spec.kind === 'directory') return content;
  const label = spec.kind === 'disk' ? WHOLE_DISK : spec.label;
  const stamp = `${vmid} ${spec.id} before the rehearsal`;
  const made = addPartition(content, { label, size }, stamp);
  if (spec.id !== 'EPHEMERAL' || member === undefined) return made;
  const etcd = { clusterId: ETCD_CLUSTER, memberId: member };
  return writePartitionData(made, 'EPHEMERAL', { begun: stamp, etcd });
}
