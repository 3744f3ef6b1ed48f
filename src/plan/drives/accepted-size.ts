/** The size that a volume got by hand, and where oxherd.yaml says another one. */

import type { Design } from '../../design/design.js';
import { OxherdError } from '../../model/error.js';
import { type Bytes, bytes, formatSize } from '../../model/size.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { visibleCsiVolume } from '../facts/csi-volume-names.js';
import { actualSize } from '../facts/drive-facts.js';
import { vmView } from '../facts/view-of-vm.js';
import { noSuchVolume } from './plan-volume-delete.js';
import { listVolumes } from './volume-list.js';

export interface AcceptedSize {
  /** Whose key it is: `volumes.<volume>.size`, or `disk` of the node. */
  readonly key: { readonly volume: string } | { readonly node: string };
  readonly from: Bytes;
  readonly to: Bytes;
}

export function acceptedSize(design: Design, observed: Observed, name: string): AcceptedSize {
  const { key, from, size } = driveNamed(design, observed, name) ?? csiNamed(design, observed, name) ?? {};
  if (key === undefined || from === undefined || size === undefined)
    throw noSuchVolume(name, listVolumes(design, observed));
  // Sizes in oxherd.yaml have a unit, and the smallest is 1KiB.
  const to = bytes(Math.ceil(size / 1024) * 1024);
  if (to > from) return { key, from, to };
  throw new OxherdError(
    'volumes.size',
    `${name} has ${formatSize(bytes(size))}, and oxherd.yaml says ${formatSize(from)}: there is nothing to accept`,
    { advice: to < from ? '`oxherd apply` grows it to the size in oxherd.yaml' : 'run `oxherd plan`' },
  );
}

interface Found {
  readonly key: AcceptedSize['key'];
  readonly from: Bytes;
  readonly size: number | undefined;
}

function driveNamed(design: Design, observed: Observed, name: string): Found | undefined {
  const [nodeName, driveName] = name.split('/');
  const node = design.nodes.find((candidate) => candidate.name === nodeName);
  const drive = node?.drives.find((candidate) => candidate.name === driveName && candidate.kind !== 'os');
  if (!node || !drive) return undefined;
  const vms = [node.talosVm.vmid, node.dataVm?.vmid].flatMap((vmid) => visibleVm(observed, vmid) ?? []);
  const sizes = vms.flatMap((vm) => {
    const line = vmView(vm)?.byWwn.get(drive.wwn);
    return (line && (actualSize(observed.volumes, vm.host, line.file) ?? line.size)) ?? [];
  });
  const key = drive.kind === 'volume' ? { volume: drive.name } : { node: node.name };
  return { key, from: drive.size, size: sizes[0] };
}

function csiNamed({ csiVolumes }: Design, observed: Observed, name: string): Found | undefined {
  const volume = csiVolumes.find((candidate) => candidate.name === name);
  if (!volume) return undefined;
  const there = visibleCsiVolume(observed, volume);
  return { key: { volume: name }, from: bytes(volume.size), size: there?.size };
}
