/** Every volume of the cluster: which disk it is, who owns it, who uses it. */

import type { Design, DriveDesign } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { identityName } from '../../formats/marks/drive-claim.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { type Vmid, type Wwn, wwidOf } from '../../model/identity.js';
import type { Observed } from '../../observe/observed.js';
import type { MachineVolume } from '../../observe/observed-machines.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { findCsiVolume } from '../facts/csi-volume-names.js';
import { actualSize } from '../facts/drive-facts.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import { candidateNames } from './claims.js';
import { leftoverRows } from './leftover-volumes.js';

export interface VolumeRow {
  /** `node/volume`, or the name of a CSI volume. */
  readonly name: string;
  readonly kind: 'ephemeral' | 'disk' | 'partition' | 'directory' | 'csi' | 'unknown';
  readonly state: /** Its Talos VM sees it. */
    | 'attached'
    /** Kept on the data VM, not in oxherd.yaml. */
    | 'parked'
    /** In oxherd.yaml and on the data VM, but its Talos VM does not see it. */
    | 'detached'
    /** A volume of ours without an identity. */
    | 'no-identity'
    /** Detached from its VM, or in no config at all: left by a replace, a move or a migration that was cut off. */
    | 'unused'
    | 'orphan'
    | 'there'
    /** In oxherd.yaml, not made yet. */
    | 'missing'
    /** Its storage could not be listed. */
    | 'unread';
  readonly volid?: string;
  readonly size?: number;
  readonly host?: string;
  readonly owner?: Vmid;
  readonly usedBy?: Vmid;
  readonly wwn?: Wwn;
  /** The node whose machine uses it. */
  readonly node?: string;
  /** As Talos says (`ready`), or of the PersistentVolume (`Bound`); absent: nothing could be asked. */
  readonly phase?: string;
  /** Where pods find it with `hostPath`. */
  readonly mount?: string;
  readonly persistentVolume?: string;
  /** `namespace/name` */
  readonly claim?: string;
  /** Of what nothing needs any more: the command that erases it, to be run on `host`. */
  readonly remove?: string;
}

export function listVolumes(design: Design, observed: Observed): VolumeRow[] {
  const dataVms = visibleVms(observed)
    .filter((vm) => vm.tags.includes(DATA_TAG))
    .sort((a, b) => a.vmid - b.vmid);
  const rows = dataVms.flatMap((vm) => {
    const view = vmView(vm);
    return view ? rowsOfDataVm(design, observed, view) : [];
  });
  return [
    ...rows.map((row) => withTalosView(design, observed, row)),
    ...leftoverRows(design, observed),
    ...missing(design, rows),
    ...rowsOnEphemeral(design, observed),
    ...csiRows(design, observed),
  ];
}

function rowsOfDataVm(design: Design, observed: Observed, data: VmView): VolumeRow[] {
  const talosVmid = Math.floor(data.vm.vmid / 10);
  const talosVm = visibleVm(observed, talosVmid);
  const talos = talosVm && vmView(talosVm);
  const node = design.nodes.find((candidate) => candidate.dataVm?.vmid === data.vm.vmid);
  const nodeName = node?.name ?? data.vm.name.replace(/-data$/, '');
  const names = candidateNames({ design, observed }, talosVmid);
  const common = { host: data.vm.host, owner: data.vm.vmid };
  const drives = data.drives.map((drive): VolumeRow => {
    const designed = drive.wwn && node?.drives.find((candidate) => candidate.wwn === drive.wwn);
    // A name that is only noted counts where the WWN is its hash.
    const label = designed
      ? designed.name
      : (identityName(design.cluster, talosVmid, drive.wwn, names) ?? drive.wwn);
    const seen = drive.wwn ? talos?.byWwn.get(drive.wwn) : undefined;
    const size = actualSize(observed.volumes, data.vm.host, drive.file) ?? drive.size;
    return {
      ...common,
      name: `${nodeName}/${label ?? drive.slot}`,
      kind: drive.wwn === undefined ? 'unknown' : label === 'ephemeral' ? 'ephemeral' : kindOf(designed),
      state: drive.wwn === undefined ? 'no-identity' : seen ? 'attached' : designed ? 'detached' : 'parked',
      volid: drive.file,
      ...(size !== undefined && { size }),
      ...(drive.wwn && { wwn: drive.wwn }),
      ...(seen && talosVm && { usedBy: talosVm.vmid }),
    };
  });
  const unused = Object.entries(data.unused).map(([key, volid]): VolumeRow => {
    const size = actualSize(observed.volumes, data.vm.host, volid);
    return {
      ...common,
      name: `${nodeName}/${key}`,
      kind: 'unknown',
      state: 'no-identity',
      volid,
      ...(size !== undefined && { size }),
    };
  });
  return [...drives, ...unused];
}

/** What is no longer in the config was a disk, whatever was on it. */
function kindOf(drive: DriveDesign | undefined): 'disk' | 'partition' {
  return drive?.partition ? 'partition' : 'disk';
}

function missing(design: Design, rows: readonly VolumeRow[]): VolumeRow[] {
  const there = new Set(rows.map((row) => row.wwn));
  return design.nodes.flatMap((node) =>
    node.drives
      .filter((drive) => drive.kept && !there.has(drive.wwn))
      .map(
        (drive): VolumeRow => ({
          name: `${node.name}/${drive.name}`,
          kind: drive.kind === 'ephemeral' ? 'ephemeral' : kindOf(drive),
          state: 'missing',
          size: drive.size,
          host: node.host,
          owner: drive.owner,
          wwn: drive.wwn,
        }),
      ),
  );
}

function csiRows(design: Design, observed: Observed): VolumeRow[] {
  return design.csiVolumes.map((volume): VolumeRow => {
    const found = findCsiVolume(observed, volume);
    const there = found.state === 'present' ? found.value : undefined;
    const user = there && userOf(observed, there.volid);
    return {
      name: volume.name,
      kind: 'csi',
      state: !there
        ? found.state === 'unread'
          ? 'unread'
          : 'missing'
        : user === undefined
          ? 'there'
          : 'attached',
      host: volume.host,
      size: there?.size ?? volume.size,
      ...(there && { volid: there.volid }),
      ...(user !== undefined && { usedBy: user }),
      ...inCluster(design, observed, volume.name, user),
    };
  });
}

function userOf(observed: Observed, volid: string): Vmid | undefined {
  return visibleVms(observed).find((vm) =>
    vmView(vm)?.drives.some((drive) => drive.file === volid && ownerOfVolume(volid) !== vm.vmid),
  )?.vmid;
}

/** What the node's Talos says of the volume on this disk. */
function withTalosView(design: Design, observed: Observed, row: VolumeRow): VolumeRow {
  const node = design.nodes.find((candidate) => candidate.talosVm.vmid === row.usedBy);
  if (!node) return row;
  const wwid = row.wwn && wwidOf(row.wwn);
  const volume = talosVolumes(observed, node.name).find(
    (candidate) => candidate.wwid === wwid && (candidate.id === 'EPHEMERAL' || candidate.id.startsWith('u-')),
  );
  return { ...row, node: node.name, ...(volume && talosView(volume)) };
}

function talosView(volume: MachineVolume): Pick<VolumeRow, 'phase' | 'mount'> {
  const mount = volume.id === 'EPHEMERAL' ? '/var' : `/var/mnt/${volume.id.slice(2)}`;
  return { phase: volume.phase, ...(volume.phase === 'ready' && { mount }) };
}

/** User volumes without a disk of their own: a partition beside EPHEMERAL has a disk and a size, a directory has neither. */
export function rowsOnEphemeral(design: Design, observed: Observed): VolumeRow[] {
  return design.nodes.flatMap((node) =>
    talosVolumes(observed, node.name)
      .filter(({ id }) => id.startsWith('u-') && !node.drives.some((drive) => `u-${drive.name}` === id))
      .map(
        (volume): VolumeRow => ({
          name: `${node.name}/${volume.id.slice(2)}`,
          kind: volume.wwid === undefined ? 'directory' : 'partition',
          ...(volume.wwid !== undefined && volume.size !== undefined && { size: volume.size }),
          state: 'there',
          host: visibleVm(observed, node.talosVm.vmid)?.host ?? node.host,
          node: node.name,
          usedBy: node.talosVm.vmid,
          ...talosView(volume),
        }),
      ),
  );
}

function talosVolumes(observed: Observed, node: string): readonly MachineVolume[] {
  const machine = observed.machines[node];
  return machine?.details.known ? machine.details.value.volumes : [];
}

/** The PersistentVolume of the same name, and who claimed it. */
function inCluster(
  design: Design,
  { kubernetes }: Observed,
  name: string,
  user: Vmid | undefined,
): Pick<VolumeRow, 'node' | 'phase' | 'persistentVolume' | 'claim'> {
  const node = design.nodes.find((candidate) => candidate.talosVm.vmid === user)?.name;
  const volume = kubernetes?.volumes.known
    ? kubernetes.volumes.value.find((candidate) => candidate.name === name)
    : undefined;
  return {
    ...(node !== undefined && { node }),
    ...(volume && { persistentVolume: volume.name, phase: volume.phase }),
    ...(volume?.claim && { claim: `${volume.claim.namespace}/${volume.claim.name}` }),
  };
}
