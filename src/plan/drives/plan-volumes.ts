/** Deleting and adopting single volumes: only ever because somebody named one. */
import type { Design } from '../../design/design.js';
import { ownerOfVolume } from '../../formats/drive-slots.js';
import { OxherdError } from '../../model/error.js';
import { dataVmidOf } from '../../model/identity.js';
import { bytes, formatSize } from '../../model/size.js';
import type { Observed } from '../../observe/observed.js';
import { makePlan } from '../make-plan.js';
import type { Plan } from '../plan.js';
import { StepList } from '../step-list.js';
import { listVolumes, type VolumeRow } from './volume-list.js';

export function planVolumeDelete(design: Design, observed: Observed, name: string): Plan {
  const rows = listVolumes(design, observed);
  const row = rows.find((candidate) => candidate.name === name);
  if (!row || row.state === 'missing' || row.volid === undefined) throw noSuchVolume(name, rows);
  const list = new StepList();
  const title = `delete ${name} (${row.volid}${row.size === undefined ? '' : `, ${formatSize(bytes(row.size))}`})`;
  if (row.kind === 'csi') {
    if (row.state === 'attached') throw inUse(name, `VM ${row.usedBy} uses it`);
    list.add(row.volid, {
      kind: 'delete-csi-volume',
      title,
      impact: 'data-loss',
      host: row.host ?? '',
      storage: row.volid.slice(0, row.volid.indexOf(':')),
      volid: row.volid,
    });
  } else {
    if (row.state === 'attached' || row.state === 'detached') throw inUse(name, 'the file names it');
    if (row.wwn === undefined || row.owner === undefined) {
      throw new OxherdError(
        'volumes.no-identity',
        `${name} has no identity, so it cannot be told which volume it was`,
        {
          advice: `adopt it (oxherd volumes adopt NODE/NAME ${row.volid}), or remove it by hand in Proxmox`,
        },
      );
    }
    list.add(`${row.owner}/${row.wwn}`, {
      kind: 'delete-volume',
      node: name.split('/')[0] ?? name,
      title,
      reasons: ['asked for by name'],
      impact: 'data-loss',
      load: { ...(row.host !== undefined && { host: row.host }) },
      vmid: row.owner,
      host: row.host ?? '',
      wwn: row.wwn,
      volid: row.volid,
    });
  }
  return makePlan(design, observed, list);
}

export function planVolumeAdopt(design: Design, observed: Observed, name: string, volid: string): Plan {
  const [nodeName, driveName] = name.split('/');
  const node = design.nodes.find((candidate) => candidate.name === nodeName);
  const drive = node?.drives.find((candidate) => candidate.name === driveName && candidate.kept);
  if (!node || !drive || !node.dataVm) throw noSuchVolume(name, listVolumes(design, observed));
  const talosVm = observed.vms[node.talosVm.vmid];
  if (talosVm?.status === 'running') {
    throw new OxherdError(
      'volumes.running',
      `VM ${talosVm.vmid} runs and may write the volume that it uses now`,
      {
        advice: `stop it first: qm shutdown ${talosVm.vmid}`,
      },
    );
  }
  const owner = ownerOfVolume(volid);
  const known = Object.values(observed.volumes).some((listed) => listed.known && volid in listed.value);
  if (!known || (owner !== node.dataVm.vmid && owner !== node.talosVm.vmid)) {
    throw new OxherdError(
      'volumes.foreign',
      known ? `${volid} belongs to VM ${owner}` : `there is no volume ${volid}`,
      {
        advice: `name a volume of data VM ${node.dataVm.vmid}${dataVmidOf(node.talosVm.vmid) ? ` or of VM ${node.talosVm.vmid}` : ''}`,
      },
    );
  }
  const list = new StepList();
  const vmid = owner === node.talosVm.vmid ? node.talosVm.vmid : node.dataVm.vmid;
  const host = observed.vms[node.dataVm.vmid]?.host ?? node.host;
  list.add(name, {
    kind: 'adopt-volume',
    node: node.name,
    title: `make ${volid} the disk ${name}`,
    reasons: [`identity ${drive.wwn}`],
    impact: 'none',
    load: { host },
    vmid,
    talosVmid: node.talosVm.vmid,
    dataVmid: node.dataVm.vmid,
    host,
    wwn: drive.wwn,
    volid,
    options: vmid === node.talosVm.vmid ? drive.talosOptions : drive.ownerOptions,
  });
  return makePlan(design, observed, list);
}

function noSuchVolume(name: string, rows: readonly VolumeRow[]): OxherdError {
  return new OxherdError('volumes.unknown', `there is no volume ${name}`, {
    advice: `volumes there are: ${rows.map((row) => row.name).join(', ') || 'none'}`,
  });
}

function inUse(name: string, why: string): OxherdError {
  return new OxherdError('volumes.in-use', `${name} is in use: ${why}`, {
    advice: 'take it out of the file and apply first; then it is parked and can be deleted',
  });
}
