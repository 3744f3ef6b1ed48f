/** Is what stands on our ids really ours? A wrong answer here would be someone else's VM. */

import type { Design, NodeDesign } from '../../design/design.js';
import { haComment } from '../../design/ha.js';
import { isClusterTag } from '../../formats/marks/cluster-names.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { parseTags, printTags } from '../../formats/proxmox/property-string.js';
import { isIdentity, type Wwn } from '../../model/identity.js';
import type { Lookalike, Observed, OutsideUse, TakenVmid } from '../../observe/observed.js';
import { isBeingCreated, visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';

export function identityProblems(design: Design, observed: Observed): Problem[] {
  return [
    ...design.nodes.flatMap((node) => takenIds(design, node, observed)),
    ...doubleWwns(design, observed),
    ...nameProblems(design, observed),
  ];
}

/**
 * Two clusters of one name share whatever is named after the cluster. One of them must not be created while the other
 * one runs, if it would use the CSI user, the HA rules or the backup job of the other; clusters that exist are left alone.
 */
function nameProblems(design: Design, observed: Observed): Problem[] {
  const exists = design.nodes.some(
    ({ talosVm, dataVm }) =>
      observed.taken[talosVm.vmid] !== undefined || (dataVm && observed.taken[dataVm.vmid]) !== undefined,
  );
  const others = Object.values(observed.lookalikes).filter(
    (vm) => vm.because === 'secrets' && !vm.tags.includes(DATA_TAG),
  );
  const comment = haComment(design.cluster);
  const resources = observed.ha?.known ? Object.values(observed.ha.value.resources) : [];
  const shared = [
    ...(design.access.length > 0 ? ['CSI user'] : []),
    ...(design.ha || resources.some((one) => one.comment === comment) ? ['HA rules'] : []),
    ...(design.backup ? ['backup job'] : []),
  ];
  if (exists || others.length === 0 || shared.length === 0) return [];
  const { name, env, tag } = design.cluster;
  return [
    {
      code: 'cluster-name-taken',
      scope: 'plan',
      message: `another cluster with the name ${name}${env === '' ? '' : ` and the env ${env}`} and other secrets runs on this Proxmox (VM ${others.map(({ vmid }) => vmid).join(', ')}): both would use one ${shared.join(', one ')} (${tag})`,
      advice: 'give this cluster another name or its own `env`',
    },
  ];
}

function takenIds(design: Design, node: NodeDesign, observed: Observed): Problem[] {
  const ids = [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])];
  return ids.flatMap((vmid) => {
    const there = observed.taken[vmid];
    if (!there || visibleVm(observed, vmid)) return [];
    // Being made this moment, perhaps by a run of ours that was cut off: the step waits and looks who it is.
    if (isBeingCreated(there)) return [];
    const lookalike = observed.lookalikes[vmid];
    if (!lookalike && hasDisksOf(node, vmid, observed)) return [untagged(design, node, there)];
    return [foreignVm(design, node, there, lookalike)];
  });
}

/** By the WWNs on it, which only this cluster gives to this id. */
function hasDisksOf(node: NodeDesign, vmid: number, { outsiders = [] }: Observed): boolean {
  return outsiders.some(
    (use) =>
      use.type === 'qemu' &&
      use.vmid === vmid &&
      node.drives.some((drive) => drive.wwn === use.wwn && isPairOf(node, use)),
  );
}

function isPairOf({ talosVm, dataVm }: NodeDesign, { volid }: OutsideUse): boolean {
  const owner = ownerOfVolume(volid);
  return owner === talosVm.vmid || (dataVm !== undefined && owner === dataVm.vmid);
}

/** Another vmid would create the node a second time beside the machine that runs. */
function untagged({ cluster }: Design, node: NodeDesign, { vmid, name, host, tags }: TakenVmid): Problem {
  const design = node.talosVm.vmid === vmid ? node.talosVm : node.dataVm;
  const wanted = parseTags(String(design?.options.tags ?? ''));
  const all = printTags([...new Set([...wanted, ...tags.filter((tag) => !isClusterTag(tag))])]);
  return {
    code: 'vm-untagged',
    scope: 'plan',
    node: node.name,
    message: `VM ${vmid} (${name || 'no name'}) on ${host} has disks of ${node.name}, but not the tag ${cluster.tag} of this cluster`,
    advice: `if it is that VM, set its tags again: qm set ${vmid} --tags '${all}'`,
  };
}

function foreignVm(
  design: Design,
  node: NodeDesign,
  there: TakenVmid,
  lookalike: Lookalike | undefined,
): Problem {
  const other = there.tags.find((tag) => isClusterTag(tag) && tag !== design.cluster.tag);
  const who = lookalike
    ? `is not part of this cluster: ${lookalike.why}`
    : other
      ? `belongs to another oxherd cluster (tag ${other})`
      : 'is not part of this cluster';
  // One that has nothing of any oxherd cluster may be a machine of this cluster that something else made.
  const adopt = other || lookalike ? '' : '; if it is that node, made by something else: oxherd adopt';
  return {
    code: other ? 'vmid-other-cluster' : 'vmid-taken',
    scope: 'plan',
    node: node.name,
    message: `VM id ${there.vmid} is taken: ${there.name || 'a VM'} on ${there.host} ${who}`,
    advice: `give node ${node.name} another vmid; a VM belongs to this cluster only with the tag ${design.cluster.tag} and the identity of this cluster${adopt}`,
  };
}

/** A volume that was copied (a restore, a clone) carries its WWN along; which one is right only a person can say. */
function doubleWwns(design: Design, observed: Observed): Problem[] {
  const volumes = new Map<Wwn, Map<string, number[]>>();
  for (const vm of [...visibleVms(observed), ...Object.values(observed.lookalikes)]) {
    for (const drive of vmView(vm)?.drives ?? []) {
      if (!drive.wwn || !isIdentity(drive.wwn)) continue;
      const byVolume = volumes.get(drive.wwn) ?? new Map<string, number[]>();
      byVolume.set(drive.file, [...(byVolume.get(drive.file) ?? []), vm.vmid]);
      volumes.set(drive.wwn, byVolume);
    }
  }
  return [...volumes].flatMap(([wwn, byVolume]) => {
    if (byVolume.size < 2) return [];
    const node = design.nodes.find((candidate) => candidate.drives.some((drive) => drive.wwn === wwn));
    const drive = node?.drives.find((candidate) => candidate.wwn === wwn);
    const name = node && drive ? `${node.name}/${drive.name}` : wwn;
    const places = [...byVolume].map(([volid, vmids]) => `${volid} (on VM ${vmids.join(' and ')})`).sort();
    const owner = ownerOfVolume([...byVolume.keys()][0] ?? '');
    return [
      {
        code: 'wwn-twice',
        scope: 'plan' as const,
        ...(node && { node: node.name }),
        message: `two volumes carry the identity of ${name}: ${places.join(', ')}`,
        advice: `choose the right one: oxherd volumes adopt ${name} <volume id>${owner === undefined ? '' : '; nothing is changed until then'}`,
      },
    ];
  });
}
