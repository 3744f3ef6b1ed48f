/** The `boot` option. */
import { parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { isCdrom, parseDrive } from '../disks/drives.js';
import { DRIVE_KEYS, isDriveKey, numbered } from './config-keys.js';
import type { Config } from './vm-config.js';

export function parseBootOrder(boot: string | undefined): string[] {
  const order = parsePropertyString((boot ?? '').trim(), 'legacy').order;
  return (order ?? '').split(/[,;\s]+/).filter((device) => device !== '');
}

/** The drives a VM boots from; before boot orders there was one, `bootdisk`. */
export function bootDisks(config: Config): string[] {
  const boot = (config.boot ?? '').trim();
  const isOld = config.boot === undefined || parsePropertyString(boot, 'legacy').legacy !== undefined;
  if (isOld) return config.bootdisk === undefined ? [] : [config.bootdisk];
  return parseBootOrder(boot).filter(isDriveKey);
}

/** Nothing to boot from is an empty value, which reads back as one blank. */
export function printBootOrder(devices: readonly string[]): string {
  return devices.length === 0 ? '' : `order=${devices.join(';')}`;
}

/** Given no order: the first disk, the first CD-ROM, the first network device (recording vm-create-seabios). */
export function defaultBootOrder(config: Config): string {
  const bootable = DRIVE_KEYS.filter(
    (key) => config[key] !== undefined && key !== 'efidisk0' && key !== 'tpmstate0',
  );
  const first = (cdrom: boolean) => bootable.find((key) => isCdrom(parseDrive(config[key] ?? '')) === cdrom);
  const nets = Object.keys(config)
    .map((key) => ({ key, place: numbered(key) }))
    .filter(({ place }) => place?.name === 'net')
    .sort((a, b) => (a.place?.index ?? 0) - (b.place?.index ?? 0));
  return printBootOrder([first(false), first(true), nets[0]?.key].flatMap((device) => device ?? []));
}
