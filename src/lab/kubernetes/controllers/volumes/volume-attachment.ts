import { sha256Hex } from '../../../../formats/text/hash.js';
import type { CsiBackend } from '../../feed.js';
import { at, isObj, type Obj, objOf, textOf } from '../../json.js';
import { type KubeObject, timeText } from '../../object.js';
import { isOver } from '../pods/pods.js';
import { type Controller, soonest, type World } from '../world.js';
import { isRegistered, sidecarRuns } from './csi-driver.js';
import { claimsOf, podsWithClaims } from './volume-claims.js';

const ATTACHMENTS = 'volumeattachments.storage.k8s.io';
const ATTACHES_AFTER = 2_000;
/** How often the driver tries again. */
const RETRY = 30_000;

/** What the attacher of a driver leaves on attachments that it has seen (`GetFinalizerName` of external-attacher). */
const finalizerOf = (driver: string) => `external-attacher/${driver.replace(/[^A-Za-z0-9-]/g, '-')}`;

/** `getAttachmentName` of the attach-detach controller. */
function nameFor(volume: KubeObject, node: string): string {
  const source = objOf(at(volume, 'spec', 'csi'));
  return `csi-${sha256Hex(`${textOf(source.volumeHandle)}${textOf(source.driver)}${node}`)}`;
}

/** Whether everything a pod mounts is there; a node waits for it. */
export function volumesReady(world: World, pod: KubeObject): boolean {
  const node = textOf(at(pod, 'spec', 'nodeName'));
  return claimsOf(world, pod).every(({ claim, volume }) => {
    if (at(claim, 'status', 'phase') !== 'Bound' || !volume) return false;
    if (!isObj(at(volume, 'spec', 'csi'))) return true;
    const attachment = world.find(ATTACHMENTS, undefined, nameFor(volume, node));
    const { deletionTimestamp } = attachment?.metadata ?? {};
    return deletionTimestamp === undefined && at(attachment, 'status', 'attached') === true;
  });
}

/** The attach-detach controller: an attachment per volume and node while a pod there mounts it. */
export const attachDetachController: Controller = {
  reconcile(world) {
    const wanted = new Map<string, { volume: KubeObject; node: string }>();
    for (const pod of podsWithClaims(world)) {
      const node = textOf(at(pod, 'spec', 'nodeName'));
      if (node === '' || isOver(pod)) continue;
      for (const { volume } of claimsOf(world, pod)) {
        if (volume && isObj(at(volume, 'spec', 'csi'))) wanted.set(nameFor(volume, node), { volume, node });
      }
    }
    for (const [name, { volume, node }] of wanted) {
      if (!world.find(ATTACHMENTS, undefined, name)) attach(world, name, volume, node);
    }
    for (const attachment of world.list(ATTACHMENTS)) {
      const { name, deletionTimestamp } = attachment.metadata;
      if (name.startsWith('csi-') && !wanted.has(name) && deletionTimestamp === undefined)
        world.remove(ATTACHMENTS, attachment);
    }
    return undefined;
  },
};

/** The attacher beside the driver: does what attachments ask for, and takes volumes off whose attachment is to go. */
export function attacherController(backend: CsiBackend): Controller {
  return {
    reconcile: (world) =>
      soonest(
        ...world
          .list(ATTACHMENTS)
          .map((attachment) =>
            attachment.metadata.deletionTimestamp === undefined
              ? complete(world, attachment, backend)
              : detach(world, attachment, backend),
          ),
      ),
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
  if (at(attachment, 'status', 'attached') === true) {
    hold(world, attachment);
    return undefined;
  }
  const failed = Date.parse(textOf(at(attachment, 'status', 'attachError', 'time')));
  const created = Date.parse(textOf(attachment.metadata.creationTimestamp));
  const due = Number.isNaN(failed) ? created + ATTACHES_AFTER : failed + RETRY;
  if (world.now < due) return due;
  if (!driverActs(world, attachment)) return undefined;
  const held = hold(world, attachment);
  const problem = attempt(() =>
    backend.attach(handleOf(world, attachment), textOf(at(attachment, 'spec', 'nodeName'))),
  );
  const status: Obj =
    problem === undefined
      ? { attached: true }
      : { attached: false, attachError: { message: problem, time: timeText(world.now) } };
  world.setStatus(ATTACHMENTS, held, status, 'csi-attacher');
  return problem === undefined ? undefined : world.now + RETRY;
}

/** From now on the attachment stays until the volume is off. */
function hold(world: World, attachment: KubeObject): KubeObject {
  const finalizer = finalizerOf(textOf(at(attachment, 'spec', 'attacher')));
  const { finalizers = [], name } = attachment.metadata;
  if (finalizers.includes(finalizer)) return attachment;
  const metadata = { ...attachment.metadata, finalizers: [...finalizers, finalizer] };
  world.update(ATTACHMENTS, { ...attachment, metadata }, 'csi-attacher');
  return world.find(ATTACHMENTS, undefined, name) ?? attachment;
}

/** The attacher does it, for nodes that know the driver; a change of either wakes the controllers. */
function driverActs(world: World, attachment: KubeObject): boolean {
  const driver = textOf(at(attachment, 'spec', 'attacher'));
  const node = textOf(at(attachment, 'spec', 'nodeName'));
  return sidecarRuns(world, driver, 'csi-attacher') && isRegistered(world, driver, node);
}

function detach(world: World, attachment: KubeObject, backend: CsiBackend): number | undefined {
  const driver = textOf(at(attachment, 'spec', 'attacher'));
  if (!sidecarRuns(world, driver, 'csi-attacher')) return undefined;
  const failed = Date.parse(textOf(at(attachment, 'status', 'detachError', 'time')));
  if (!Number.isNaN(failed) && world.now < failed + RETRY) return failed + RETRY;
  const problem = attempt(() =>
    backend.detach(handleOf(world, attachment), textOf(at(attachment, 'spec', 'nodeName'))),
  );
  if (problem === undefined) {
    world.dropFinalizer(ATTACHMENTS, attachment, finalizerOf(driver), 'csi-attacher');
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
