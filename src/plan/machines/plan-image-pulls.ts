/** Images of the next Kubernetes on every machine before the first part changes: a pull that fails then disturbs no one. */

import type { NodeDesign } from '../../design/design.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { compareVersions, parseVersion } from '../../model/version.js';
import { addressNow } from '../facts/address-now.js';
import { allAt, imageOf } from '../facts/kubernetes-components.js';
import type { DesiredMachines } from '../input.js';
import type { Draft } from '../planned.js';

/** What `talosctl upgrade-k8s` pulls (`prePullImages` in pkg/cluster/kubernetes of Talos); the proxy is a DaemonSet's matter. */
const STATIC_PODS = ['apiServer', 'controllerManager', 'scheduler'] as const;

/** The steps after which all of them are there. */
export function planImagePulls(
  { list, observed }: Draft,
  outdated: readonly { readonly node: NodeDesign; readonly configured: ComponentVersions }[],
  /** The goal last. */
  versions: readonly string[],
  machines: DesiredMachines,
): string[] {
  return outdated.flatMap(({ node, configured }) => {
    const parts = node.role === 'controlplane' ? [...STATIC_PODS, 'kubelet' as const] : ['kubelet' as const];
    const images = versions.flatMap((version) => {
      const { redacted } = machines.configWith(node.name, allAt(version));
      return parts
        .filter((part) => isOnTheWay(configured[part], version, versions.at(-1)))
        .flatMap((part) => {
          const image = imageOf(redacted, part);
          return image === undefined ? [] : [{ image, kubelet: part === 'kubelet' }];
        });
    });
    if (images.length === 0) return [];
    return [
      list.add(node.name, {
        kind: 'pull-images',
        node: node.name,
        title: `pull the images of Kubernetes ${versions.join(' and ')} on ${node.name}`,
        reasons: images.map(({ image }) => image),
        impact: 'none',
        ip: addressNow(node, observed),
        images,
      }),
    ];
  });
}

/** Versions between are passed upwards only; the goal may be an older one. */
function isOnTheWay(running: string, version: string, goal: string | undefined): boolean {
  if (version === goal) return running !== goal;
  const [now, then] = [parseVersion(running), parseVersion(version)];
  return now !== undefined && then !== undefined && compareVersions(now, then) < 0;
}
