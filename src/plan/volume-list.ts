/** Every volume of the cluster: which disk it is, who owns it, who uses it. */
import type { Design } from '../design/design.js';
import { parseDataNotes } from '../formats/data-notes.js';
import { DATA_TAG } from '../formats/data-tag.js';
import { ownerOfVolume } from '../formats/drive-slots.js';
import type { Vmid, Wwn } from '../model/identity.js';
import type { Observed } from '../observe/observed.js';
import { findCsiVolume } from './plan-csi-volumes.js';
import { actualSize } from './plan-data-vm.js';
import { type VmView, viewOfVm } from './view-of-vm.js';

export interface VolumeRow {
  /** `node/volume`, or the name of a CSI volume. */
  readonly name: string;
  readonly kind: 'ephemeral' | 'disk' | 'csi' | 'unknown';
  readonly state: /** Its Talos VM sees it. */
    | 'attached'
    /** Kept on the data VM, not in the file. */
    | 'parked'
    /** In the file and on the data VM, but its Talos VM does not see it. */
    | 'detached'
    /** A volume of ours without an identity. */
    | 'no-identity'
    | 'there'
    /** In the file, not made yet. */
    | 'missing';
  readonly volid?: string;
  readonly size?: number;
  readonly host?: string;
  readonly owner?: Vmid;
  readonly usedBy?: Vmid;
  readonly wwn?: Wwn;
}

export function listVolumes(design: Design, observed: Observed): VolumeRow[] {
  const dataVms = Object.values(observed.vms)
    .filter((vm) => vm.tags.includes(design.cluster.tag) && vm.tags.includes(DATA_TAG))
    .sort((a, b) => a.vmid - b.vmid);
  const rows = dataVms.flatMap((vm) => {
    const view = viewOfVm(vm);
    return view ? rowsOfDataVm(design, observed, view) : [];
  });
  return [...rows, ...missing(design, rows), ...csiRows(design, observed)];
}

function rowsOfDataVm(design: Design, observed: Observed, data: VmView): VolumeRow[] {
  const talosVmid = Math.floor(data.vm.vmid / 10);
  const talosVm = observed.vms[talosVmid];
  const talos = talosVm && viewOfVm(talosVm);
  const node = design.nodes.find((candidate) => candidate.dataVm?.vmid === data.vm.vmid);
  const nodeName = node?.name ?? data.vm.name.replace(/-data$/, '');
  const { names } = parseDataNotes(data.effective.description ?? '');
  const common = { host: data.vm.host, owner: data.vm.vmid };
  const drives = data.drives.map((drive): VolumeRow => {
    const designed = drive.wwn && node?.drives.find((candidate) => candidate.wwn === drive.wwn);
    const label = designed ? designed.name : drive.wwn && (names.get(drive.wwn) ?? drive.wwn);
    const seen = drive.wwn ? talos?.byWwn.get(drive.wwn) : undefined;
    const size = actualSize(observed.volumes, data.vm.host, drive.file) ?? drive.size;
    return {
      ...common,
      name: `${nodeName}/${label ?? drive.slot}`,
      kind: drive.wwn === undefined ? 'unknown' : label === 'ephemeral' ? 'ephemeral' : 'disk',
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

function missing(design: Design, rows: readonly VolumeRow[]): VolumeRow[] {
  const there = new Set(rows.map((row) => row.wwn));
  return design.nodes.flatMap((node) =>
    node.drives
      .filter((drive) => drive.kept && !there.has(drive.wwn))
      .map(
        (drive): VolumeRow => ({
          name: `${node.name}/${drive.name}`,
          kind: drive.kind === 'ephemeral' ? 'ephemeral' : 'disk',
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
    const listed = observed.volumes[`${volume.host}/${volume.storage}`];
    const there = listed?.known ? findCsiVolume(listed.value, volume) : undefined;
    const user = there && userOf(observed, there.volid);
    return {
      name: volume.name,
      kind: 'csi',
      state: there ? (user === undefined ? 'there' : 'attached') : 'missing',
      host: volume.host,
      size: there?.size ?? volume.size,
      ...(there && { volid: there.volid }),
      ...(user !== undefined && { usedBy: user }),
    };
  });
}

function userOf(observed: Observed, volid: string): Vmid | undefined {
  return Object.values(observed.vms).find((vm) =>
    viewOfVm(vm)?.drives.some((drive) => drive.file === volid && ownerOfVolume(volid) !== vm.vmid),
  )?.vmid;
}
