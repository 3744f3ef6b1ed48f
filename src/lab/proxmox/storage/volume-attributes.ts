/** Notes and protection of a volume: of backups only. */
import { type Call, type Handlers, PveError } from '../api.js';
import type { StorageRecord } from '../db.js';
import { nodeOf } from '../http/request.js';
import { putVolume, volumeAt } from '../volumes.js';
import { requireVolumeAccess } from './access.js';
import { locate } from './storages.js';
import { isFileStorage, type VolumeName } from './volume-name.js';
import { volumeOf } from './volume-of-call.js';
import { missingVolume } from './volume-operations.js';

export const attributeHandlers: Handlers = {
  'PUT /nodes/{node}/storage/{storage}/content/{volume}': updateVolume,
};

function updateVolume(call: Call): null {
  const volid = volumeOf(call);
  requireVolumeAccess(call, volid);
  const { storage, volume: name } = locate(call.pve, volid);
  for (const attribute of ['notes', 'protected'] as const) {
    if (call.params[attribute] === undefined) continue;
    assertAttribute(storage, name, attribute);
    const volume = volumeAt(call.pve.db, storage, nodeOf(call), name.place);
    if (!volume) throw missingVolume(storage, name, volid);
    const change =
      attribute === 'notes' ? { notes: call.text('notes') ?? '' } : { protected: call.flag('protected') };
    putVolume(call.pve.db, storage, { ...volume, ...change });
  }
  return null;
}

const PLUGINS: Partial<Record<StorageRecord['type'], string>> = {
  zfspool: 'ZFSPool',
  lvm: 'LVM',
  lvmthin: 'LvmThin',
  rbd: 'RBD',
  zfs: 'ZFS',
  iscsi: 'ISCSI',
  iscsidirect: 'ISCSIDirect',
};

function assertAttribute(storage: StorageRecord, name: VolumeName, attribute: string): void {
  if (!isFileStorage(storage)) {
    throw new PveError(
      500,
      attribute === 'notes'
        ? `volume notes are not supported for PVE::Storage::${PLUGINS[storage.type] ?? storage.type}Plugin at /usr/share/perl5/PVE/Storage/Plugin.pm line 1300.`
        : `attribute '${attribute}' is not supported for storage type '${storage.type}'`,
    );
  }
  if (name.type === 'backup') return;
  throw new PveError(
    500,
    attribute === 'notes' ? 'only backups can have notes' : "only backups support attribute 'protected'",
  );
}
