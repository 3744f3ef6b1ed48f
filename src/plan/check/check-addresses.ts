/** Another address for a node: a worker gets it drained and restarted; a control plane only where etcd can bear it. */

import type { NodeDesign } from '../../design/design.js';
import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { addressNow, isReaddressed } from '../facts/address-now.js';
import { livingEtcd } from '../facts/members.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';

const ENOUGH_MEMBERS = 3;

export function addressProblems(context: PlanContext): Problem[] {
  const { design, observed } = context;
  const other = design.nodes.flatMap((node) => otherMachine(node, context));
  const off = design.nodes.flatMap((node) => offMachine(node, context));
  const planes = design.nodes.filter((node) => node.role === 'controlplane' && isReaddressed(node, observed));
  return [...other, ...off, ...planes.flatMap((node) => planeProblems(context, node, planes))];
}

function otherMachine({ name, ip, talosVm }: NodeDesign, { observed }: PlanContext): Problem[] {
  const uuid = observed.machines[name]?.otherMachine;
  if (uuid === undefined) return [];
  return [
    {
      code: 'other-machine',
      scope: 'node',
      node: name,
      message: `another machine than VM ${talosVm.vmid} answers at ${ip}: its SMBIOS uuid is ${uuid}`,
      advice: `find out which VM has that uuid, and give ${name} an address of its own`,
    },
  ];
}

/** Its machine config still has the old address, and no one can tell it while it is off. */
function offMachine(node: NodeDesign, { observed, machines }: PlanContext): Problem[] {
  const vm = visibleVm(observed, node.talosVm.vmid);
  const before = vm && staticAddressOf(vm);
  if (!machines || !vm || vm.status !== 'stopped' || before === undefined || before === node.ip) return [];
  return [
    {
      code: 'address-off',
      scope: 'node',
      node: node.name,
      message: `VM ${vm.vmid} is off, and its address changes from ${before} to ${node.ip}: the machine cannot be told`,
      advice: `write ip: ${before}, apply, then change the address`,
    },
  ];
}

function planeProblems(context: PlanContext, node: NodeDesign, planes: readonly NodeDesign[]): Problem[] {
  const from = addressNow(node, context.observed);
  const etcd = livingEtcd(context);
  const healthy = etcd.state === 'living' ? etcd.healthy.length : 0;
  const endpoint = endpointOf(context, node);
  // Clients and kubelets that know one node alone lose the API with it, whichever node it is.
  const owner = context.design.nodes.find((other) =>
    [other.ip, addressNow(other, context.observed)].some((ip) => ip === endpoint),
  );
  const reasons = [
    ...(healthy < ENOUGH_MEMBERS ? [`etcd has ${healthy} healthy members, and needs ${ENOUGH_MEMBERS}`] : []),
    ...(planes.length > 1 ? ['one control plane at a time can change its address'] : []),
    ...(owner
      ? [
          `the endpoint of the Kubernetes API is ${owner === node ? 'its own address' : `the address of ${owner.name},`} ${endpoint}`,
        ]
      : []),
  ];
  if (reasons.length === 0) return [];
  return [
    {
      code: 'address-change',
      scope: 'plan',
      node: node.name,
      message: `the address of control plane ${node.name} cannot change from ${from} to ${node.ip}: ${reasons.join('; ')}`,
      advice: `write ip: ${from}; or add a control plane with the new address, apply, then remove ${node.name} from oxherd.yaml and apply`,
    },
  ];
}

/** As the machine config says it: `https://10.20.30.40:6443`. */
function endpointOf({ machines }: PlanContext, { name }: NodeDesign): string | undefined {
  return /"endpoint": "https:\/\/([^":/]+)/.exec(machines?.configs[name]?.redacted ?? '')?.[1];
}
