import type { CsiBackend } from '../../feed.js';
import { at, type Obj, stringsOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { quantityValue } from '../../schema/quantity.js';
import { type Controller, soonest, type World } from '../world.js';
import { sidecarRuns } from './csi-driver.js';
import { classOf, PROVISIONER, SELECTED_NODE } from './volume-claims.js';

const VOLUMES = 'persistentvolumes';
const RETRY = 30_000;

/** The provisioner beside a driver: makes the volumes that claims were marked for, and deletes those of claims that went. */
export function provisioningController(backend: CsiBackend): Controller {
  return {
    reconcile(world) {
      for (const claim of world.list('persistentvolumeclaims')) {
        const storageClass = classOf(world, claim);
        if (storageClass && isAskedFor(world, claim, storageClass))
          provision(world, claim, storageClass, backend);
      }
      return soonest(...world.list(VOLUMES).map((volume) => reclaim(world, volume, backend)));
    },
  };
}

function isAskedFor(world: World, claim: KubeObject, storageClass: KubeObject): boolean {
  const { deletionTimestamp, annotations = {} } = claim.metadata;
  const driver = textOf(storageClass.provisioner);
  const waits =
    storageClass.volumeBindingMode === 'WaitForFirstConsumer' && annotations[SELECTED_NODE] === undefined;
  return (
    deletionTimestamp === undefined &&
    textOf(at(claim, 'spec', 'volumeName')) === '' &&
    annotations[PROVISIONER] === driver &&
    !waits &&
    sidecarRuns(world, driver, 'csi-provisioner')
  );
}

/** Answers when to try again. */
function reclaim(world: World, volume: KubeObject, backend: CsiBackend): number | undefined {
  if (at(volume, 'status', 'phase') !== 'Released' || volume.metadata.deletionTimestamp !== undefined)
    return undefined;
  if (at(volume, 'spec', 'persistentVolumeReclaimPolicy') !== 'Delete') return undefined;
  const driver = textOf(at(volume, 'spec', 'csi', 'driver'));
  if (!sidecarRuns(world, driver, 'csi-provisioner')) return undefined;
  try {
    backend.delete?.(textOf(at(volume, 'spec', 'csi', 'volumeHandle')));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    world.event(volume, 'Warning', 'VolumeFailedDelete', message, driver);
    return world.now + RETRY;
  }
  world.remove(VOLUMES, volume);
  return undefined;
}

function provision(world: World, claim: KubeObject, storageClass: KubeObject, backend: CsiBackend): void {
  const driver = textOf(storageClass.provisioner);
  const nodeName = claim.metadata.annotations?.[SELECTED_NODE];
  const { namespace, name: claimName, uid } = claim.metadata;
  const name = `pvc-${textOf(uid)}`;
  if (!backend.create || world.find(VOLUMES, undefined, name)) return;
  const node = nodeName === undefined ? undefined : world.find('nodes', undefined, nodeName);
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
  const region = node?.metadata.labels?.['topology.kubernetes.io/region'] ?? '';
  const storage = textOf(at(claim, 'spec', 'resources', 'requests', 'storage'));
  const parameters = stringsOf(storageClass.parameters);
  let volumeHandle: string;
  try {
    volumeHandle = backend.create({ name, bytes: quantityValue(storage), parameters, zone });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const text = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${message}`;
    world.event(claim, 'Warning', 'ProvisioningFailed', text, driver);
    return;
  }
  const place: Obj =
    zone === ''
      ? {}
      : {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'topology.kubernetes.io/region', operator: 'In', values: [region] },
                    { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
                  ],
                },
              ],
            },
          },
        };
  world.create(VOLUMES, undefined, {
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': driver } },
    spec: {
      capacity: { storage },
      accessModes: at(claim, 'spec', 'accessModes'),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid },
      csi: { driver, volumeHandle, fsType: 'ext4', volumeAttributes: attributesOf(parameters) },
      ...place,
    },
  });
}

/** Parameters of the class reach the driver again when it attaches; those for the provisioner itself do not. */
function attributesOf(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).filter(([key]) => !key.startsWith('csi.storage.k8s.io/')),
  );
}
