import { hashParts } from '../../../formats/hash.js';
import type { CsiBackend } from '../feed.js';
import { at, isObj, type Obj, objOf, textOf } from '../json.js';
import { type KubeObject, timeText } from '../object.js';
import { isRegistered, sidecarRuns } from './csi-driver.js';
import { isOver } from './pods.js';
import { claimsOf } from './volume-claims.js';
import { type Controller, soonest, type World } from './world.js';

const ATTACHMENTS = 'volumeattachments.storage.k8s.io';
const ATTACHES_AFTER = 2_000;
/** How often the driver tries again. */
const RETRY = 30_000;

function nameFor(volume: KubeObject, node: string): string {
  const source = objOf(at(volume, 'spec', 'csi'));
  return `csi-${hashParts([textOf(source.volumeHandle), textOf(source.driver), node])}`;
}

/** Whether everything a pod mounts is there; a node waits for it. */
export function volumesReady(world: World, pod: KubeObject): boolean {
  const node = textOf(at(pod, 'spec', 'nodeName'));
  return claimsOf(world, pod).every(({ claim, volume }) => {
    if (at(claim, 'status', 'phase') !== 'Bound' || !volume) return false;
    if (!isObj(at(volume, 'spec', 'csi'))) return true;
    const attachment = world.find(ATTACHMENTS, undefined, nameFor(volume, node));
    return at(attachment, 'status', 'attached') === true;
  });
}

/** Attaches CSI volumes to the nodes of the pods that mount them, and takes them off when the last pod has gone. */
export function attachmentController(backend: CsiBackend): Controller {
  return {
    reconcile(world) {
      const wanted = new Map<string, { volume: KubeObject; node: string }>();
      for (const pod of world.list('pods')) {
        const node = textOf(at(pod, 'spec', 'nodeName'));
        if (node === '' || isOver(pod)) continue;
        for (const { volume } of claimsOf(world, pod)) {
          if (volume && isObj(at(volume, 'spec', 'csi'))) wanted.set(nameFor(volume, node), { volume, node });
        }
      }
      for (const [name, { volume, node }] of wanted) {
        if (!world.find(ATTACHMENTS, undefined, name)) attach(world, name, volume, node);
      }
      const times = world.list(ATTACHMENTS).map((attachment) => {
        if (!wanted.has(attachment.metadata.name) && attachment.metadata.name.startsWith('csi-')) {
          return detach(world, attachment, backend);
        }
        return complete(world, attachment, backend);
      });
      return soonest(...times);
    },
  };
}

function attach(world: World, name: string, volume: KubeObject, nodeName: string): void {
  world.create(ATTACHMENTS, undefined, {
    metadata: { name },
    spec: {
      attacher: at(volume, 'spec', 'csi', 'driver'),
      nodeName,
      source: { persistentVolumeName: volume.metadata.name },
    },
  });
}

function handleOf(world: World, attachment: KubeObject): string {
  const name = textOf(at(attachment, 'spec', 'source', 'persistentVolumeName'));
  return textOf(at(world.find('persistentvolumes', undefined, name), 'spec', 'csi', 'volumeHandle'));
}

function complete(world: World, attachment: KubeObject, backend: CsiBackend): number | undefined {
  if (at(attachment, 'status', 'attached') === true) return undefined;
  const failed = Date.parse(textOf(at(attachment, 'status', 'attachError', 'time')));
  const created = Date.parse(textOf(attachment.metadata.creationTimestamp));
  const due = Number.isNaN(failed) ? created + ATTACHES_AFTER : failed + RETRY;
  if (world.now < due) return due;
  if (!driverActs(world, attachment)) return undefined;
  const problem = attempt(() =>
    backend.attach(handleOf(world, attachment), textOf(at(attachment, 'spec', 'nodeName'))),
  );
  const status: Obj =
    problem === undefined
      ? { attached: true }
      : { attached: false, attachError: { message: problem, time: timeText(world.now) } };
  world.setStatus(ATTACHMENTS, attachment, status, 'csi-attacher');
  return problem === undefined ? undefined : world.now + RETRY;
}

/** The attacher does it, for nodes that know the driver; a change of either wakes the controllers. */
function driverActs(world: World, attachment: KubeObject): boolean {
  const driver = textOf(at(attachment, 'spec', 'attacher'));
  const node = textOf(at(attachment, 'spec', 'nodeName'));
  return sidecarRuns(world, driver, 'csi-attacher') && isRegistered(world, driver, node);
}

function detach(world: World, attachment: KubeObject, backend: CsiBackend): number | undefined {
  if (!sidecarRuns(world, textOf(at(attachment, 'spec', 'attacher')), 'csi-attacher')) return undefined;
  const failed = Date.parse(textOf(at(attachment, 'status', 'detachError', 'time')));
  if (!Number.isNaN(failed) && world.now < failed + RETRY) return failed + RETRY;
  const problem = attempt(() =>
    backend.detach(handleOf(world, attachment), textOf(at(attachment, 'spec', 'nodeName'))),
  );
  if (problem === undefined) {
    world.remove(ATTACHMENTS, attachment);
    return undefined;
  }
  const detachError = { message: problem, time: timeText(world.now) };
  world.setStatus(ATTACHMENTS, attachment, { ...objOf(attachment.status), detachError }, 'csi-attacher');
  return world.now + RETRY;
}

function attempt(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
