/** Volumes of the CSI driver need it to run: a controller, a plugin on every node, and kubelets that know it. */
import { REPLACING_TOKEN } from '../design/kubernetes/csi.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import type { ObservedKubernetes } from '../observe/observed-kubernetes.js';
import { type Condition, conditionsOf } from './condition.js';

const { condition, unread } = conditionsOf('volumes');

export function csiDriverConditions(
  { csi }: KubernetesDesign,
  observed: ObservedKubernetes | undefined,
): Condition[] {
  if (!csi || !observed || !Object.values(observed.endpoints).some((ready) => ready)) return [];
  if (!observed.csiDriver.known) return [unread('csi-driver', observed.csiDriver.why)];
  const { registered } = observed.csiDriver.value;
  return [
    ...token(observed.csiSecret),
    ...(csi.driver === 'built-in' ? workloads(observed.csiDriver.value) : []),
    ...nodes(csi.driver, observed, registered),
  ];
}

type Driver = Extract<ObservedKubernetes['csiDriver'], { known: true }>['value'];

function token(secret: ObservedKubernetes['csiSecret']): Condition[] {
  if (!secret.known) return [unread('csi-token', secret.why)];
  if (secret.value?.hash !== REPLACING_TOKEN) return [];
  return [
    condition(
      'csi-token',
      undefined,
      false,
      'an interrupted run has left the token of the CSI driver half replaced: it may not work',
      'oxherd apply creates another one',
    ),
  ];
}

/** A driver that others installed has names that we do not know; the kubelets tell all the same. */
function workloads({ controller, plugins }: Driver): Condition[] {
  const state = (name: string, kind: string, workload: Driver['controller']) =>
    condition(
      'csi-driver',
      name,
      workload !== undefined && workload.available >= workload.wanted,
      workload
        ? `${workload.available} of ${workload.wanted} pods available`
        : `there is no ${kind} csi-proxmox/${name}`,
      workload ? `kubectl -n csi-proxmox describe ${kind.toLowerCase()} ${name}` : 'oxherd apply creates it',
    );
  return [
    state('proxmox-csi-plugin-controller', 'Deployment', controller),
    state('proxmox-csi-plugin-node', 'DaemonSet', plugins),
  ];
}

function nodes(driver: string, { nodes: known }: ObservedKubernetes, registered: readonly string[]) {
  if (!known.known) return [unread('csi-node', known.why)];
  const missing = known.value.filter(({ name, ready }) => ready && !registered.includes(name));
  if (missing.length === 0)
    return [
      condition('csi-node', undefined, true, `the driver is registered on ${registered.length} nodes`, ''),
    ];
  const none = registered.length === 0;
  return [
    condition(
      'csi-node',
      none ? undefined : missing.map(({ name }) => name).join(', '),
      false,
      none
        ? 'no CSI driver is registered on any node: CSI volumes cannot be attached'
        : 'the CSI driver is not registered there: CSI volumes cannot be attached',
      driver === 'none'
        ? 'install the Proxmox CSI driver, or remove kubernetes.csi.driver to let oxherd do it'
        : 'kubectl -n csi-proxmox get pods -o wide',
    ),
  ];
}
