/** Images that a changed config brings: pulled before anything restarts. */
import type { ComponentVersions } from '../../design/machine-config/context.js';
import type { Component } from '../effects/talos-config.js';
import { imageOf } from '../facts/kubernetes-components.js';

const PARTS: readonly (readonly [Component, keyof ComponentVersions])[] = [
  ['kube-apiserver', 'apiServer'],
  ['kube-controller-manager', 'controllerManager'],
  ['kube-scheduler', 'scheduler'],
  ['kubelet', 'kubelet'],
];

export function newImages(
  from: string,
  to: string,
  restarts: readonly Component[],
): { image: string; kubelet: boolean }[] {
  return PARTS.filter(([component]) => restarts.includes(component)).flatMap(([component, part]) => {
    const image = imageOf(to, part);
    return image === undefined || image === imageOf(from, part)
      ? []
      : [{ image, kubelet: component === 'kubelet' }];
  });
}
