/** What runs of Kubernetes on a machine, beside the versions that its config names. */
import type { NodeDesign } from '../design/design.js';
import type { ComponentVersions } from '../design/machine-config/context.js';
import type { Observed } from './observed.js';
import { kubeNodeOf } from './observed-kubernetes.js';
import type { MachineDetails } from './observed-machines.js';

export type KubernetesPart = keyof ComponentVersions;

const IMAGES: Record<KubernetesPart, RegExp> = {
  apiServer: /"([^"]*\/kube-apiserver:(v[\w.-]+)[^"]*)"/,
  controllerManager: /"([^"]*\/kube-controller-manager:(v[\w.-]+)[^"]*)"/,
  scheduler: /"([^"]*\/kube-scheduler:(v[\w.-]+)[^"]*)"/,
  proxy: /"([^"]*\/kube-proxy:(v[\w.-]+)[^"]*)"/,
  kubelet: /"([^"]*\/kubelet:(v[\w.-]+)[^"]*)"/,
};

/** The image of a part and its version, as a config names it. */
export function imageIn(
  redacted: string,
  part: KubernetesPart,
): { readonly image: string; readonly version: string } | undefined {
  const [, image, version] = IMAGES[part].exec(redacted) ?? [];
  return image === undefined || version === undefined ? undefined : { image, version };
}

/** Parts that are static pods of a control plane, by the name of their pods. */
const STATIC_PODS = {
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
} as const;

export function staticPodOf(
  part: KubernetesPart,
): (typeof STATIC_PODS)[keyof typeof STATIC_PODS] | undefined {
  return part === 'proxy' || part === 'kubelet' ? undefined : STATIC_PODS[part];
}

/**
 * Parts that do not run as the machine's config names them, and why: a config is what was asked for, not what runs. Only
 * what is seen counts; a machine that boots, or cannot be asked, is another matter. The proxy is a DaemonSet, whose image
 * is compared with that of Talos's manifests.
 */
export function stoppedComponents(
  { name, role }: Pick<NodeDesign, 'name' | 'role'>,
  observed: Pick<Observed, 'machines' | 'kubernetes'>,
): Partial<Record<KubernetesPart, string>> {
  const machine = observed.machines[name];
  const details =
    machine?.details.known && machine.onItsWay === undefined ? machine.details.value : undefined;
  if (details?.stage !== 'running' || !details.config.known) return {};
  const { redacted } = details.config.value;
  const known = observed.kubernetes?.nodes;
  const node = known?.known ? kubeNodeOf(name, known.value) : undefined;
  const kubelet =
    restartLoop(details, 'kubelet') ??
    otherVersion(imageIn(redacted, 'kubelet')?.version, node?.kubeletVersion.replace(/\+.*$/, ''));
  // Without its kubelet neither Talos nor Kubernetes knows how the static pods are.
  if (kubelet !== undefined) return { kubelet };
  if (role === 'worker' || !isMember(details)) return {};
  const pods = observed.kubernetes?.controlPlanePods;
  const whyNot = (part: keyof typeof STATIC_PODS): string | undefined => {
    const pod = STATIC_PODS[part];
    const own = pods?.known
      ? pods.value.find((one) => one.node === node?.name && one.component === pod)
      : undefined;
    const runs = /:(v[\w.-]+)/.exec(own?.image ?? '')?.[1];
    return notReady(details, pod) ?? otherVersion(imageIn(redacted, part)?.version, runs);
  };
  const reasons = {
    apiServer: whyNot('apiServer'),
    controllerManager: whyNot('controllerManager'),
    scheduler: whyNot('scheduler'),
  };
  return Object.fromEntries(Object.entries(reasons).filter(([, why]) => why !== undefined));
}

/** In the words of Talos (internal/app/machined/pkg/system/runner/restart): the program ends, and is started again. */
function restartLoop({ services }: MachineDetails, id: string): string | undefined {
  const service = services.find((one) => one.id === id);
  return service && service.state !== 'Running' && /going to restart/.test(service.message)
    ? `it does not start: ${service.message.replace(/^.*going to restart[^:]*:\s*/, '')}`
    : undefined;
}

/** Talos asks the kubelet, and so knows it while no API server answers. */
function notReady({ unmet }: MachineDetails, pod: string): string | undefined {
  const waits = unmet.find(({ name, reason }) => name === 'staticPods' && reason.includes(`${pod}-`));
  return waits && 'its pod is not ready';
}

function otherVersion(configured: string | undefined, running: string | undefined): string | undefined {
  if (configured === undefined || !running || running === configured) return undefined;
  return `${running} runs, its config names ${configured}`;
}

/** Without etcd an API server cannot be ready, whatever its version. */
function isMember({ etcd }: MachineDetails): boolean {
  return etcd?.known === true && etcd.value.leader !== '' && !etcd.value.learner;
}
