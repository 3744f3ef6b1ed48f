/** The versions of Kubernetes that a machine's config names. */
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { imageIn, type KubernetesPart } from '../../observe/observed-components.js';
import type { ObservedMachine } from '../../observe/observed-machines.js';

const PARTS = ['apiServer', 'controllerManager', 'scheduler', 'proxy', 'kubelet'] as const;

/**
 * The versions that a machine's config names; `undefined`: all of them are the wanted one, or the config is not known. Where
 * a config is tried or staged, the version counts that is not the wanted one: the other is not both running and kept.
 */
export function configuredComponents(
  machine: ObservedMachine,
  wanted: string,
): ComponentVersions | undefined {
  const config = machine.details.known ? machine.details.value.config : undefined;
  if (!config?.known) return undefined;
  const { redacted, persistent } = config.value;
  const at = (part: KubernetesPart) => {
    const named = [persistent?.redacted, redacted].flatMap(
      (text) => imageIn(text ?? '', part)?.version ?? [],
    );
    return named.find((version) => version !== wanted) ?? wanted;
  };
  const components: ComponentVersions = {
    apiServer: at('apiServer'),
    controllerManager: at('controllerManager'),
    scheduler: at('scheduler'),
    proxy: at('proxy'),
    kubelet: at('kubelet'),
  };
  return Object.values(components).every((version) => version === wanted) ? undefined : components;
}

/** Versions of the parts that a machine's config really names: a worker has no API server. */
export function namedVersions(machine: ObservedMachine): string[] {
  const config = machine.details.known ? machine.details.value.config : undefined;
  if (!config?.known) return [];
  const { redacted } = config.value;
  return PARTS.flatMap((part) => imageIn(redacted, part)?.version ?? []);
}

/** The image of a part, as a config names it. */
export function imageOf(redacted: string, component: KubernetesPart): string | undefined {
  return imageIn(redacted, component)?.image;
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
