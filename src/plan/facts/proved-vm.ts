/**
 * What proves that a VM is of the cluster with these secrets, and not of another one with the same name: their
 * fingerprint on it or on the other VM of its node, or its machine, if that accepts our client certificate.
 */
import type { Design, NodeDesign } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { notedSecrets, withoutSecretsNote } from '../../formats/marks/secrets-note.js';
import { dataVmidOf, talosVmidOf } from '../../model/identity.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { vmView } from './view-of-vm.js';

type Around = { readonly design: Design; readonly observed: Observed };

export function printOn(vm: ObservedVm | undefined): string | undefined {
  return vm && notedSecrets(vmView(vm)?.effective.description ?? '');
}

/** The Talos VM of a data VM, and the data VM of a Talos VM. */
function otherVmOf(observed: Pick<Observed, 'vms'>, vm: ObservedVm): ObservedVm | undefined {
  return visibleVm(observed, vm.tags.includes(DATA_TAG) ? talosVmidOf(vm.vmid) : dataVmidOf(vm.vmid));
}

/** VMs that carry the fingerprint of others are not among the cluster's VMs at all. */
export function isProved({ design, observed }: Around, vm: ObservedVm): boolean {
  const { secrets, formerSecrets = [] } = design.cluster;
  // Without secrets there is nothing to compare, and nothing is deleted either.
  if (secrets === undefined) return true;
  const other = otherVmOf(observed, vm);
  const print = printOn(vm) ?? printOn(other);
  if (print !== undefined) return print === secrets || formerSecrets.includes(print);
  const talos = vm.tags.includes(DATA_TAG) ? other : vm;
  if (!talos) return false;
  const node = design.nodes.find(({ talosVm }) => talosVm.vmid === talos.vmid);
  // Details are those of a machine that accepted the certificate and has the VM's uuid.
  return node
    ? observed.machines[node.name]?.details.known === true
    : (observed.accepting ?? []).includes(talos.vmid);
}

/** The description of a node's VM, without the fingerprint if nothing proves that the VM is this cluster's. */
export function provedDescription(
  context: Pick<PlanContext, 'design' | 'observed' | 'asked'>,
  node: NodeDesign,
  kind: 'talos' | 'data',
): string | number | undefined {
  const description = (kind === 'talos' ? node.talosVm : node.dataVm)?.options.description;
  if (description === undefined || carriesSecrets(context, node, kind)) return description;
  const text = withoutSecretsNote(String(description));
  return text === '' ? undefined : text;
}

/** Whether it has or gets the fingerprint. */
function carriesSecrets(
  context: Pick<PlanContext, 'design' | 'observed' | 'asked'>,
  node: NodeDesign,
  kind: 'talos' | 'data',
): boolean {
  const { design, observed, asked } = context;
  const vm = visibleVm(observed, (kind === 'talos' ? node.talosVm : node.dataVm)?.vmid);
  // A node that begins again was confirmed by name.
  if (!vm || printOn(vm) !== undefined || asked.fresh.includes(node.name)) return true;
  if (design.cluster.secrets !== undefined && isProved(context, vm)) return true;
  // The data of a node whose machine is gone or waits for its first config can belong to no other machine.
  return kind === 'data' && observed.machines[node.name]?.presence !== 'configured';
}

/** For a VM that is not in oxherd.yaml and would be removed. */
export function unproved({ design }: Around, vm: ObservedVm): Problem {
  const kind = vm.tags.includes(DATA_TAG) ? 'data VM' : 'VM';
  const line = `secrets ${design.cluster.secrets}`;
  return {
    code: 'vm-unproved',
    scope: 'node',
    message: `nothing proves that ${kind} ${vm.vmid} (${vm.name}) on ${vm.host} belongs to this cluster and not to another one with the same name: it carries no fingerprint of secrets, and no machine of it accepts this cluster's certificate`,
    advice: `it is not removed. If it belongs to another cluster, run \`oxherd apply\` there: that writes the fingerprint. If it is a node of this cluster, start it and plan again, or add the line \`${line}\` to its notes in Proxmox`,
  };
}
