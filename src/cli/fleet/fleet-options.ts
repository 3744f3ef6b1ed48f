/** Which Kubernetes the fleet is on: the same flags for all commands of it. */
import type { FleetOptions } from '../../controller/admin/connect-fleet.js';
import type { OptionSpec } from '../command-spec.js';
import type { CliContext } from '../context.js';

export const FLEET_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--kubeconfig <file>',
    description: 'of the Kubernetes cluster that the fleet is on; default: $KUBECONFIG',
  },
  { flags: '--context <name>', description: 'context of the kubeconfig; default: the current one' },
  { flags: '--namespace <name>', description: 'namespace; default: that of the context, or of the pod' },
];

export function fleetOptions(
  { cwd, env }: CliContext,
  options: Readonly<Record<string, unknown>>,
): FleetOptions & { readonly namespace?: string } {
  const { kubeconfig, context, namespace } = options;
  return {
    cwd,
    env,
    ...(typeof kubeconfig === 'string' && { kubeconfig }),
    ...(typeof context === 'string' && { context }),
    ...(typeof namespace === 'string' && { namespace }),
  };
}

/** The flags that name the same cluster of the same fleet again, for commands that are advised. */
export function fleetFlags({ kubeconfig, context, namespace }: Readonly<Record<string, unknown>>): string {
  return Object.entries({ kubeconfig, context, namespace })
    .flatMap(([flag, value]) => (typeof value === 'string' ? [` --${flag} ${value}`] : []))
    .join('');
}
