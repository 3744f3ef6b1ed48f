/**
 * The slot of a disk by the path of its bus, as Linux shows it. Proxmox gives each drive on a virtio-scsi controller, one
 * for all or one for each, its index as LUN (`print_drivedevice_full`): `…/virtio3/host2/target2:0:0/2:0:0:5` is `scsi5`.
 */
const VIRTIO_SCSI = /\/virtio\d+\/host\d+\/target\d+:\d+:\d+\/\d+:\d+:\d+:(\d+)(?:\/|$)/;

/** `undefined`: the path does not tell, as on other controllers. */
export function slotOfBusPath(busPath: string): string | undefined {
  const lun = VIRTIO_SCSI.exec(busPath)?.[1];
  return lun === undefined ? undefined : `scsi${Number(lun)}`;
}
