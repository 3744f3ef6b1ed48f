import type { InstallFacts } from '../config/config-facts.js';
import type { Hardware } from '../hypervisors/hypervisor.js';
import { DISK_ENVIRONMENT } from '../selectors/environment.js';
import { compileSelector, glob } from '../selectors/evaluate.js';
import { type DiskView, diskObject, viewDisks } from './disks.js';
import { readSize } from './volume-spec.js';

/** The slot of the disk that Talos installs itself on; `undefined`: none is meant. */
export function chooseInstallDisk(hardware: Hardware, install: InstallFacts): string | undefined {
  const disks = viewDisks(hardware).filter((disk) => !disk.readonly && !disk.cdrom);
  if (install.match !== undefined) {
    const selects = compileSelector(install.match, DISK_ENVIRONMENT);
    return disks.find((disk) => selects({ disk: diskObject(disk), system_disk: false }))?.slot;
  }
  if (install.selector && Object.keys(install.selector).length > 0) {
    return matchInstallSelector(disks, install.selector)[0]?.slot;
  }
  return disks.find((disk) => disk.devPath === install.disk || disk.symlinks.includes(install.disk ?? ''))
    ?.slot;
}

/** `machine.install.diskSelector`: every field given must match; texts are globs, sizes compare. */
export function matchInstallSelector(
  disks: readonly DiskView[],
  selector: Readonly<Record<string, unknown>>,
): DiskView[] {
  return disks.filter((disk) =>
    Object.entries(selector).every(([field, wanted]) => {
      const text = String(wanted);
      if (field === 'size') return matchesSize(text, disk.size);
      if (field === 'type') return matchesType(text, disk);
      const own: Record<string, string> = {
        name: disk.devPath,
        model: disk.model,
        serial: '',
        modalias: '',
        uuid: '',
        wwid: disk.wwid,
        busPath: disk.busPath,
      };
      return glob(text, own[field] ?? '');
    }),
  );
}

function matchesType(type: string, disk: DiskView): boolean {
  if (type === 'ssd') return !disk.rotational;
  if (type === 'hdd') return disk.rotational;
  return type === 'nvme' ? disk.transport === 'nvme' : type === 'sd' && disk.transport === 'mmc';
}

/** `4GB`, `>= 100GB`, `== 2TB` */
function matchesSize(expression: string, size: number): boolean {
  const match = /^\s*(<=|>=|==|=|<|>)?\s*(.+)$/.exec(expression);
  const wanted = readSize(match?.[2]?.trim());
  if (wanted === undefined) return false;
  switch (match?.[1]) {
    case '<=':
      return size <= wanted;
    case '>=':
      return size >= wanted;
    case '<':
      return size < wanted;
    case '>':
      return size > wanted;
    default:
      return size === wanted;
  }
}
