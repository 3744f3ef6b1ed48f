/** What must hold before a cluster is taken over. */

import type { Design, NodeDesign } from '../../design/design.js';
import { isClusterTag } from '../../formats/marks/cluster-names.js';
import { ownershipOf } from '../../formats/marks/ownership.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { findVm, visibleVm } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';

export function adoptionProblems(design: Design, observed: Observed): Problem[] {
  const foreign = design.nodes.filter((node) => isForeign(design, node, observed));
  return [
    ...design.nodes.flatMap((node) => missingVms(node, observed)),
    ...design.nodes.flatMap((node) => otherClusters(design, node, observed)),
    ...foreign.flatMap((node) => unprovedMachine(node, observed)),
    ...(foreign.length > 0 ? etcdProblems(design, observed) : []),
  ];
}

/** A node with a VM that is there and not ours. */
function isForeign({ cluster }: Design, { talosVm, dataVm }: NodeDesign, observed: Observed): boolean {
  return [talosVm.vmid, dataVm?.vmid].some((vmid) => {
    const vm = visibleVm(observed, vmid);
    const view = vm && vmView(vm);
    return view !== undefined && !ownershipOf(cluster, view.vm.vmid, view.effective).ours;
  });
}

function missingVms(node: NodeDesign, observed: Observed): Problem[] {
  const { name } = node;
  return [node.talosVm, ...(node.dataVm ? [node.dataVm] : [])].flatMap(({ vmid }) => {
    const answer = findVm(observed, vmid);
    // hiddenProblems names the VM and the missing right.
    if (answer.state === 'hidden' && answer.because === 'unseen') return [];
    if (answer.state !== 'present') {
      const advice = `correct vmid and layout of ${name}; new nodes are added after the adoption`;
      return [problem('adopt-missing', node, `VM ${vmid} of ${name} does not exist`, advice)];
    }
    const { config } = answer.vm;
    if (config.known) return [];
    const message = `VM ${vmid} of ${name} cannot be read (${config.why})`;
    return [problem('adopt-missing', node, message, 'bring its host back first')];
  });
}

/** VMs of other clusters are never taken, nor what was made with other secrets. */
function otherClusters({ cluster }: Design, node: NodeDesign, observed: Observed): Problem[] {
  return [node.talosVm.vmid, node.dataVm?.vmid].flatMap((vmid) => {
    const vm = visibleVm(observed, vmid);
    const view = vm && vmView(vm);
    if (!view) return [];
    const other = view.vm.tags.find((tag) => isClusterTag(tag) && tag !== cluster.tag);
    const ownership = ownershipOf(cluster, view.vm.vmid, view.effective);
    const why =
      other !== undefined
        ? `belongs to another oxherd cluster (tag ${other})`
        : !ownership.ours && ownership.because === 'secrets'
          ? ownership.why.replace(/^it /, '')
          : undefined;
    if (why === undefined) return [];
    return [
      problem(
        'adopt-other-cluster',
        node,
        `VM ${vmid} ${why}`,
        `give ${node.name} its own vmid in oxherd.yaml`,
      ),
    ];
  });
}

/** Only the machine itself proves whose VM it is. */
function unprovedMachine(node: NodeDesign, observed: Observed): Problem[] {
  const vm = visibleVm(observed, node.talosVm.vmid);
  if (!vm?.config.known) return [];
  const machine = observed.machines[node.name];
  const uuid = machine?.details.known ? machine.details.value.uuid : undefined;
  if (uuid !== undefined && uuid === uuidOfVm(vm)) return [];
  const why = machine && !machine.details.known ? machine.details.why : 'it tells no SMBIOS uuid';
  return [
    problem(
      'adopt-unproved',
      node,
      `nothing proves that VM ${vm.vmid} is the machine of ${node.name}: ${why}`,
      vm.status === 'running'
        ? `check ip and vmid of ${node.name}, and that the secrets are those of this cluster: oxherd init --from-cluster --force`
        : `start it first: qm start ${vm.vmid}`,
    ),
  ];
}

/** A cluster that is about to lose its quorum has other worries. */
function etcdProblems({ nodes }: Design, { machines }: Observed): Problem[] {
  const planes = nodes.filter(({ role }) => role === 'controlplane');
  return planes.flatMap((node) => {
    const machine = machines[node.name];
    const etcd = machine?.details.known ? machine.details.value.etcd : undefined;
    if (!machine?.details.known) return [];
    const why = !etcd?.known
      ? (etcd?.why ?? 'it tells nothing of etcd')
      : etcd.value.leader === ''
        ? 'it has no leader'
        : etcd.value.learner
          ? 'it is a learner'
          : (etcd.value.errors[0] ??
            etcd.value.alarms.map((alarm) => `alarm ${alarm}`)[0] ??
            (etcd.value.members.length !== planes.length
              ? `${etcd.value.members.length} members, ${planes.length} control planes in oxherd.yaml`
              : undefined));
    if (why === undefined) return [];
    return [
      problem(
        'adopt-etcd',
        node,
        `etcd of ${node.name} is not healthy: ${why}`,
        `see talosctl -n ${node.ip} etcd status`,
      ),
    ];
  });
}

export function uuidOfVm({ config }: ObservedVm): string | undefined {
  if (!config.known) return undefined;
  return parsePropertyString(config.value.values.smbios1 ?? '').uuid?.toLowerCase();
}

function problem(code: string, { name }: NodeDesign, message: string, advice: string): Problem {
  return { code, scope: 'plan', node: name, message, advice };
}
