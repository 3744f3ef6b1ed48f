/** The parts of Kubernetes on a machine, by the images that its config names. */
import type { ComponentVersions } from '../../design/machine-config/context.js';
import type { ObservedMachine } from '../../observe/observed-machines.js';

const IMAGES: Record<keyof ComponentVersions, RegExp> = {
  apiServer: /"([^"]*\/kube-apiserver:(v[\w.-]+)[^"]*)"/,
  controllerManager: /"([^"]*\/kube-controller-manager:(v[\w.-]+)[^"]*)"/,
  scheduler: /"([^"]*\/kube-scheduler:(v[\w.-]+)[^"]*)"/,
  proxy: /"([^"]*\/kube-proxy:(v[\w.-]+)[^"]*)"/,
  kubelet: /"([^"]*\/kubelet:(v[\w.-]+)[^"]*)"/,
};

/** What a machine's config says it runs; `undefined`: all of it is at the wanted version already, or it is not known. */
export function runningComponents(machine: ObservedMachine, wanted: string): ComponentVersions | undefined {
  const config = machine.details.known ? machine.details.value.config : undefined;
  if (!config?.known) return undefined;
  const { redacted } = config.value;
  const at = (component: keyof ComponentVersions) => IMAGES[component].exec(redacted)?.[2] ?? wanted;
  const running: ComponentVersions = {
    apiServer: at('apiServer'),
    controllerManager: at('controllerManager'),
    scheduler: at('scheduler'),
    proxy: at('proxy'),
    kubelet: at('kubelet'),
  };
  return Object.values(running).every((version) => version === wanted) ? undefined : running;
}

/** The image of a part, as a config names it. */
export function imageOf(redacted: string, component: keyof ComponentVersions): string | undefined {
  return IMAGES[component].exec(redacted)?.[1];
}

export function allAt(version: string): ComponentVersions {
  return {
    apiServer: version,
    controllerManager: version,
    scheduler: version,
    proxy: version,
    kubelet: version,
  };
}
