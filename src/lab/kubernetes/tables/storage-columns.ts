import { at, listOf, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import type { TableColumn } from './column.js';

const SHORT_MODES: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export function storageColumns(name: TableColumn, age: TableColumn): Record<string, TableColumn[]> {
  const mode: TableColumn = {
    name: 'VolumeMode',
    wide: true,
    cell: (object) => textOf(at(object, 'spec', 'volumeMode')) || '<unset>',
  };
  const attributes: TableColumn = {
    name: 'VolumeAttributesClass',
    cell: (object) => textOf(at(object, 'spec', 'volumeAttributesClassName')) || '<unset>',
  };
  const storageClass: TableColumn = {
    name: 'StorageClass',
    cell: (object) => textOf(at(object, 'spec', 'storageClassName')),
  };
  return {
    persistentvolumes: [
      name,
      { name: 'Capacity', cell: (volume) => textOf(at(volume, 'spec', 'capacity', 'storage')) },
      { name: 'Access Modes', cell: (volume) => modesText(at(volume, 'spec', 'accessModes')) },
      { name: 'Reclaim Policy', cell: (volume) => at(volume, 'spec', 'persistentVolumeReclaimPolicy') },
      { name: 'Status', cell: phaseOf },
      { name: 'Claim', cell: claimOf },
      storageClass,
      attributes,
      { name: 'Reason', cell: (volume) => textOf(at(volume, 'status', 'reason')) },
      age,
      mode,
    ],
    persistentvolumeclaims: [
      name,
      { name: 'Status', cell: phaseOf },
      { name: 'Volume', cell: (claim) => textOf(at(claim, 'spec', 'volumeName')) },
      { name: 'Capacity', cell: claimCapacity },
      { name: 'Access Modes', cell: (claim) => modesText(at(claim, 'status', 'accessModes')) },
      storageClass,
      attributes,
      age,
      mode,
    ],
    'storageclasses.storage.k8s.io': [
      { name: 'Name', cell: classNameOf },
      { name: 'Provisioner', cell: (object) => object.provisioner },
      { name: 'ReclaimPolicy', cell: (object) => object.reclaimPolicy },
      { name: 'VolumeBindingMode', cell: (object) => object.volumeBindingMode },
      { name: 'AllowVolumeExpansion', cell: (object) => object.allowVolumeExpansion === true },
      age,
    ],
    'volumeattachments.storage.k8s.io': [
      name,
      { name: 'Attacher', format: 'name', cell: (object) => at(object, 'spec', 'attacher') },
      { name: 'PV', cell: (object) => textOf(at(object, 'spec', 'source', 'persistentVolumeName')) },
      { name: 'Node', cell: (object) => at(object, 'spec', 'nodeName') },
      { name: 'Attached', type: 'boolean', cell: (object) => at(object, 'status', 'attached') === true },
      age,
    ],
  };
}

/** A claim that has a volume has some size, if nothing is known of it. */
function claimCapacity(claim: KubeObject): string {
  const size = textOf(at(claim, 'status', 'capacity', 'storage'));
  return textOf(at(claim, 'spec', 'volumeName')) === '' ? '' : size || '0';
}

function modesText(modes: unknown): string {
  return listOf(modes)
    .map((mode) => SHORT_MODES[textOf(mode)] ?? textOf(mode))
    .join(',');
}

function phaseOf(object: KubeObject): string {
  return object.metadata.deletionTimestamp ? 'Terminating' : textOf(at(object, 'status', 'phase'));
}

function claimOf(volume: KubeObject): string {
  const claim = objOf(at(volume, 'spec', 'claimRef'));
  return claim.name === undefined ? '' : `${textOf(claim.namespace)}/${textOf(claim.name)}`;
}

function classNameOf(object: KubeObject): string {
  const marked = object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
  return marked ? `${object.metadata.name} (default)` : object.metadata.name;
}
