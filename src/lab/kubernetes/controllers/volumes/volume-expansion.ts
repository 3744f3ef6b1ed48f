import type { CsiBackend } from '../../feed.js';
import { at, isObj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { quantityValue } from '../../schema/quantity.js';
import { type Controller, soonest, type World } from '../world.js';
import { sidecarRuns } from './csi-driver.js';
import { classOf } from './volume-claims.js';

const RETRY = 30_000;

/**
 * The resizer beside the driver: a claim that asks for more than its volume has gets it, where its class allows that,
 * and while the volume is attached, since Proxmox resizes a disk through a VM only.
 */
export function expansionController(backend: CsiBackend): Controller {
  return {
    reconcile: (world) =>
      soonest(...world.list('persistentvolumeclaims').map((claim) => expand(world, claim, backend))),
  };
}

function expand(world: World, claim: KubeObject, backend: CsiBackend): number | undefined {
  const name = textOf(at(claim, 'spec', 'volumeName'));
  const volume = name === '' ? undefined : world.find('persistentvolumes', undefined, name);
  if (!volume || !isObj(at(volume, 'spec', 'csi')) || !mayGrow(world, claim)) return undefined;
  const asked = textOf(at(claim, 'spec', 'resources', 'requests', 'storage'));
  if (!(quantityValue(asked) > sizeOf(volume))) return undefined;
  const node = nodeOf(world, name);
  if (node === undefined) return undefined;
  if (!sidecarRuns(world, textOf(at(volume, 'spec', 'csi', 'driver')), 'csi-resizer')) return undefined;
  try {
    backend.expand?.(textOf(at(volume, 'spec', 'csi', 'volumeHandle')), node, quantityValue(asked));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    world.event(claim, 'Warning', 'VolumeResizeFailed', message, 'external-resizer');
    return world.now + RETRY;
  }
  const spec = objOf(volume.spec);
  const grown = { ...spec, capacity: { ...objOf(spec.capacity), storage: asked } };
  world.update('persistentvolumes', { ...volume, spec: grown }, 'csi-resizer');
  // The kubelet has grown the file system meanwhile, and tells.
  const capacity = { ...objOf(at(claim, 'status', 'capacity')), storage: asked };
  world.setStatus('persistentvolumeclaims', claim, { ...objOf(claim.status), capacity }, 'kubelet');
  return undefined;
}

function mayGrow(world: World, claim: KubeObject): boolean {
  return classOf(world, claim)?.allowVolumeExpansion === true;
}

function sizeOf(volume: KubeObject): number {
  return quantityValue(textOf(at(volume, 'spec', 'capacity', 'storage')));
}

function nodeOf(world: World, volume: string): string | undefined {
  const attachment = world
    .list('volumeattachments.storage.k8s.io')
    .find(
      (one) =>
        at(one, 'spec', 'source', 'persistentVolumeName') === volume &&
        at(one, 'status', 'attached') === true,
    );
  return attachment && textOf(at(attachment, 'spec', 'nodeName'));
}
