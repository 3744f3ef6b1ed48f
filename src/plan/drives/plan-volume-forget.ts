/** Forgetting a volume that its storage no longer has: its lines leave the VMs, and nothing is erased. */

import type { Design } from '../../design/design.js';
import { storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import { OxherdError } from '../../model/error.js';
import { talosVmidOf, type Vmid } from '../../model/identity.js';
import type { Observed } from '../../observe/observed.js';
import { visibleEntry } from '../../observe/observed-lists.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { findVolume } from '../../observe/observed-volumes.js';
import { makePlan } from '../make-plan.js';
import type { Plan } from '../plan.js';
import { StepList } from '../step-list.js';
import { noSuchVolume } from './plan-volume-delete.js';
import { listVolumes, type VolumeRow } from './volume-list.js';

export function planVolumeForget(design: Design, observed: Observed, name: string): Plan {
  const rows = listVolumes(design, observed);
  const row = rows.find((candidate) => candidate.name === name);
  const { volid, wwn, owner, host } = row ?? {};
  if (!row || row.state === 'missing') throw noSuchVolume(name, rows);
  if (volid === undefined || wwn === undefined || owner === undefined || host === undefined)
    throw notADisk(row);
  refuseWhereThere(observed, name, volid, host);
  const talosVmid = talosVmidOf(owner) as Vmid;
  if (visibleVm(observed, talosVmid)?.status === 'running') {
    throw new OxherdError('volumes.running', `VM ${talosVmid} runs and may still write ${volid}`, {
      advice: `copy what is needed from it, then stop it: qm shutdown ${talosVmid}`,
    });
  }
  const list = new StepList();
  list.add(`${owner}/${wwn}`, {
    kind: 'forget-volume',
    node: name.split('/')[0] ?? name,
    title: `forget ${name}: ${volid} no longer exists`,
    reasons: ['requested by name'],
    impact: 'none',
    load: { host },
    vmid: owner,
    talosVmid,
    host,
    wwn,
    volid,
  });
  return makePlan(design, observed, list);
}

/** What a plan may take off the VMs although it is kept. */
export function volumesForgotten(plan: Plan): ReadonlySet<string> {
  return new Set(plan.steps.flatMap((step) => (step.kind === 'forget-volume' ? [step.volid] : [])));
}

/** On any host: a VM that was taken to another one by hand leaves its local volumes where they were. */
function refuseWhereThere(observed: Observed, name: string, volid: string, host: string): void {
  const storage = storageOfVolume(volid);
  const own = findVolume(observed.volumes, host, volid);
  if (own.state === 'unread') {
    throw new OxherdError(
      'volumes.unknown-storage',
      `whether ${volid} exists cannot be told: the storage ${storage} of ${host} could not be listed (${own.why})`,
      { advice: 'run it again when the storage answers' },
    );
  }
  for (const [key, listed] of Object.entries(observed.volumes)) {
    if (!key.endsWith(`/${storage}`) || !visibleEntry(listed, volid)) continue;
    throw new OxherdError('volumes.there', `${name} is not lost: ${volid} is on ${key.split('/')[0]}`, {
      advice: `only a volume that no longer exists can be forgotten; to destroy its data remove it from oxherd.yaml, apply, then run: oxherd volumes delete ${name} --confirm ${name}`,
    });
  }
}

function notADisk(row: VolumeRow): OxherdError {
  return new OxherdError('volumes.no-disk', `${row.name} is not a disk of a data VM`, {
    advice:
      row.kind === 'csi'
        ? '`oxherd apply` recreates a missing CSI volume'
        : `it is shown as ${row.kind}, ${row.state}`,
  });
}
