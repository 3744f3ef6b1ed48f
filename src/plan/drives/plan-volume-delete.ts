/** Deleting a single volume: only ever because the user named it in this run. */

import type { Design } from '../../design/design.js';
import { parseDataNotes } from '../../formats/marks/data-notes.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { wwnOf } from '../../formats/marks/identities.js';
import { OxherdError } from '../../model/error.js';
import { talosVmidOf, type Vmid } from '../../model/identity.js';
import { bytes, formatSize } from '../../model/size.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVms } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import { makePlan } from '../make-plan.js';
import type { Plan } from '../plan.js';
import { StepList } from '../step-list.js';
import { outsideUser, outsideUsesOf } from './claims.js';
import { unreadUser } from './unread-guests.js';
import { listVolumes, type VolumeRow } from './volume-list.js';

export function planVolumeDelete(design: Design, observed: Observed, name: string): Plan {
  const rows = listVolumes(design, observed);
  const row = rows.find((candidate) => candidate.name === name);
  const list = new StepList();
  if (!row && forgetVolume(design, observed, name, list)) return makePlan(design, observed, list);
  if (!row || row.state === 'missing' || row.volid === undefined) throw noSuchVolume(name, rows);
  if (row.remove !== undefined) throw byHand(row, row.remove);
  refuseWhereUsed(observed, name, row);
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
    if (row.state === 'attached' || row.state === 'detached') throw inUse(name, 'it is in oxherd.yaml');
    if (row.wwn !== undefined && row.name.endsWith(row.wwn)) {
      throw new OxherdError(
        'volumes.no-identity',
        `${row.volid} has an identity that is not one of this cluster, so oxherd does not delete it`,
        {
          advice: `if it is not needed: qm set ${row.owner} --protection 0, then qm disk unlink ${row.owner} --idlist <its slot> --force 1`,
        },
      );
    }
    if (row.wwn === undefined || row.owner === undefined) {
      throw new OxherdError(
        'volumes.no-identity',
        `${name} has no identity, so it cannot be told which volume it was`,
        {
          advice: `adopt it (oxherd volumes adopt NODE/NAME ${row.volid}), or remove it in Proxmox`,
        },
      );
    }
    list.add(`${row.owner}/${row.wwn}`, {
      kind: 'delete-volume',
      node: name.split('/')[0] ?? name,
      title,
      reasons: ['requested by name'],
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

/** A deletion that was cut off after the disk was erased: its note and the VM's protection are still to be set right. */
function forgetVolume(design: Design, observed: Observed, name: string, list: StepList): boolean {
  const [nodeName = '', label = ''] = name.split('/');
  for (const vm of visibleVms(observed)) {
    const view = vm.tags.includes(DATA_TAG) ? vmView(vm) : undefined;
    const node = design.nodes.find(({ dataVm }) => dataVm?.vmid === vm.vmid);
    if (!view || (node?.name ?? vm.name.replace(/-data$/, '')) !== nodeName) continue;
    const wwn = wwnOf(design.cluster, talosVmidOf(vm.vmid) as Vmid, label);
    const noted = parseDataNotes(view.effective.description ?? '').names.has(wwn);
    if (!noted || view.byWwn.has(wwn) || Object.keys(view.unused).length > 0) continue;
    list.add(`${vm.vmid}/${wwn}`, {
      kind: 'delete-volume',
      node: nodeName,
      title: `finish deleting ${name}: its disk is gone`,
      reasons: ['requested by name'],
      impact: 'none',
      load: { host: vm.host },
      vmid: vm.vmid,
      host: vm.host,
      wwn,
      volid: 'none',
    });
    return true;
  }
  return false;
}

/** By another VM, or by a snapshot of one of ours: what names it would be left with nothing. */
function refuseWhereUsed(observed: Observed, name: string, { volid = '', host = '' }: VolumeRow): void {
  const outside = outsideUsesOf(observed, [volid]).map(outsideUser)[0] ?? unreadUser(observed, host, volid);
  if (outside)
    throw new OxherdError('volumes.in-use', `${name} is in use: ${outside.why}`, { advice: outside.advice });
  for (const vm of visibleVms(observed)) {
    for (const { section, volid: named } of vmView(vm)?.references ?? []) {
      if (named !== volid || typeof section === 'string') continue;
      throw new OxherdError(
        'volumes.in-use',
        `${name} is in use: the snapshot ${section.snapshot} of VM ${vm.vmid} holds it`,
        { advice: `delete the snapshot first: qm delsnapshot ${vm.vmid} ${section.snapshot}` },
      );
    }
  }
}

function byHand(row: VolumeRow, remove: string): OxherdError {
  return new OxherdError(
    'volumes.no-identity',
    `${row.name} (${row.volid}) has no identity, so oxherd cannot tell what it was and does not delete it`,
    { advice: `if it is not needed, on ${row.host}: ${remove}` },
  );
}

export function noSuchVolume(name: string, rows: readonly VolumeRow[]): OxherdError {
  return new OxherdError('volumes.unknown', `there is no volume ${name}`, {
    advice: `volumes there are: ${rows.map((row) => row.name).join(', ') || 'none'}`,
  });
}

function inUse(name: string, why: string): OxherdError {
  return new OxherdError('volumes.in-use', `${name} is in use: ${why}`, {
    advice: 'remove it from oxherd.yaml and apply first; then it is parked and can be deleted',
  });
}
