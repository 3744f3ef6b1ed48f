import { hashParts } from '../../../formats/text/hash.js';
import type { Hardware } from '../hypervisors/hypervisor.js';
import type { VolumePhase, VolumeState } from '../machine/machine-record.js';
import { multiError } from '../validate/config-error.js';
import { isSystemDisk, type Partition, partitionData } from './partitions.js';
import type { EncryptionKey, FormattedVolume } from './volume-spec.js';

/** A volume that is where it should be and cannot be used: phase `failed`, with where it stood before. */
export class VolumeFailure extends Error {
  constructor(
    message: string,
    readonly preFailPhase: VolumePhase,
  ) {
    super(message);
  }
}

/**
 * Opens and formats what is there (volumes/encrypt.go, then volumes/format.go): only what is empty is formatted, what
 * has another format is refused and left alone.
 */
export function formatted(found: Partition, spec: FormattedVolume, hardware: Hardware): Partition {
  const opened = spec.encryption ? unlocked(found, spec, spec.encryption, hardware) : found;
  const inner = spec.encryption ? opened.encrypted?.filesystem : opened.filesystem;
  // A raw volume has no file system of its own to compare with.
  if (spec.filesystem === '' || inner === spec.filesystem) return opened;
  if (inner !== undefined && inner !== 'swap') {
    throw new VolumeFailure(`filesystem type mismatch: ${inner} != ${spec.filesystem}`, 'prepared');
  }
  return spec.encryption
    ? { ...opened, encrypted: { keys: opened.encrypted?.keys ?? [], filesystem: spec.filesystem } }
    : { ...opened, filesystem: spec.filesystem };
}

function unlocked(
  found: Partition,
  { id }: FormattedVolume,
  keys: readonly EncryptionKey[],
  hardware: Hardware,
): Partition {
  const own = keys.map((key) => fingerprint(key, id, hardware));
  if (found.filesystem === undefined) return { ...found, filesystem: 'luks', encrypted: { keys: own } };
  if (found.filesystem !== 'luks') {
    throw new VolumeFailure(`block dev type mismatch: ${found.filesystem} != luks`, 'provisioned');
  }
  if (!own.some((key) => found.encrypted?.keys.includes(key))) {
    throw new VolumeFailure(
      `error opening encrypted volume: no handlers available to get encryption keys from: ${multiError(keys.map(() => 'encryption key rejected'))}`,
      'provisioned',
    );
  }
  // One key that fits is enough; the other slots follow the config.
  return { ...found, encrypted: { ...found.encrypted, keys: own } };
}

/** What VolumeStatus says of the encryption: kinds of keys, and the slot that opened it. */
export function shownEncryption(spec: FormattedVolume): Pick<VolumeState, 'encryption'> {
  const [first] = spec.encryption ?? [];
  if (!spec.encryption || !first) return {};
  const keys = [...new Set(spec.encryption.map(({ kind }) => kind))].sort();
  return { encryption: { keys, slot: first.slot, lockedToState: first.lockToState } };
}

/** What a key is bound to: a passphrase, the machine's SMBIOS uuid, its TPM; and STATE, where it says so. */
function fingerprint(key: EncryptionKey, volume: string, hardware: Hardware): string {
  const bound = key.kind === 'static' || key.kind === 'kms' ? key.secret : hardware.uuid;
  const salt = key.lockToState ? JSON.stringify(stateIdentity(hardware)) : '';
  return hashParts(['luks', key.kind, bound, volume, salt]).slice(0, 32);
}

function stateIdentity(hardware: Hardware): unknown {
  const drive = hardware.drives.find((one) => !one.cdrom && isSystemDisk(one.content));
  const state = drive && partitionData(drive.content, 'STATE');
  return typeof state === 'object' && state !== null && 'nodeId' in state ? state.nodeId : undefined;
}
