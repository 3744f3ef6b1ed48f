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

/** What VolumeStatus shows of an open encrypted volume. */
type OpenEncryption = Pick<VolumeState, 'encryption'>;

/**
 * Opens and formats what is there (volumes/encrypt.go, then volumes/format.go): only what is empty is formatted, what
 * has another format is refused and left alone.
 */
export function formatted(
  found: Partition,
  spec: FormattedVolume,
  hardware: Hardware,
): { readonly partition: Partition } & OpenEncryption {
  const { partition: opened, ...encryption } = spec.encryption
    ? unlocked(found, spec, spec.encryption, hardware)
    : { partition: found };
  const inner = spec.encryption ? opened.encrypted?.filesystem : opened.filesystem;
  // A raw volume has no file system of its own to compare with.
  if (spec.filesystem === '' || inner === spec.filesystem) return { partition: opened, ...encryption };
  if (inner !== undefined && inner !== 'swap') {
    throw new VolumeFailure(`filesystem type mismatch: ${inner} != ${spec.filesystem}`, 'prepared');
  }
  const partition = spec.encryption
    ? { ...opened, encrypted: { keys: opened.encrypted?.keys ?? [], filesystem: spec.filesystem } }
    : { ...opened, filesystem: spec.filesystem };
  return { partition, ...encryption };
}

/**
 * `Open` and `syncKeys` in internal/pkg/encryption/encryption.go: the first slot whose key fits opens the volume, then
 * the other slots follow the config; a slot that cannot is a failed sync and no failure. Seen on a real machine with
 * `nodeID` beside `static`: a new volume shows `failed` for a moment and is then opened by the other slot.
 */
function unlocked(
  found: Partition,
  { id }: FormattedVolume,
  keys: readonly EncryptionKey[],
  hardware: Hardware,
): { readonly partition: Partition } & OpenEncryption {
  const isNew = found.filesystem === undefined;
  if (!isNew && found.filesystem !== 'luks') {
    throw new VolumeFailure(`block dev type mismatch: ${found.filesystem} != luks`, 'provisioned');
  }
  const slots = keys.map((key) => ({
    key,
    refusal: refusalOf(key, hardware),
    text: slotText(key, id, hardware),
  }));
  const written = found.encrypted?.keys ?? [];
  const used = slots.find(({ refusal, text }) => refusal === undefined && (isNew || written.includes(text)));
  if (!used) {
    const reasons = slots.map(({ refusal }) => refusal ?? 'encryption key rejected');
    throw new VolumeFailure(
      `error ${isNew ? 'formatting and encrypting' : 'opening encrypted'} volume: no handlers available to get encryption keys from: ${multiError(reasons)}`,
      'provisioned',
    );
  }
  const kept = slots.filter(({ refusal }) => refusal === undefined).map(({ text }) => text);
  const failedSyncs = slots.flatMap(({ key, refusal }) => {
    const verb = written.some((text) => text.startsWith(`${key.slot} `)) ? 'updating' : 'adding';
    return refusal === undefined
      ? []
      : [`error ${verb} key slot ${key.slot} ${HANDLERS[key.kind]}: ${refusal}`];
  });
  const kinds = [...new Set(keys.map(({ kind }) => kind))].sort();
  return {
    partition: {
      ...found,
      ...(isNew && { filesystem: 'luks' }),
      encrypted: { ...found.encrypted, keys: kept },
    },
    encryption: {
      keys: kinds,
      slot: used.key.slot,
      lockedToState: used.key.lockToState,
      ...(failedSyncs.length > 0 && { failedSyncs }),
    },
  };
}

/** As Go prints the types of internal/pkg/encryption/keys. */
const HANDLERS: Readonly<Record<EncryptionKey['kind'], string>> = {
  static: '*keys.StaticKeyHandler',
  nodeID: '*keys.NodeIDKeyHandler',
  kms: '*keys.KMSKeyHandler',
  tpm: '*keys.TPMKeyHandler',
};

/** The "primitive entropy check" of internal/pkg/encryption/keys/nodeid.go: no character in more than half of the places. */
function refusalOf({ kind }: EncryptionKey, { uuid }: Hardware): string | undefined {
  if (kind !== 'nodeID') return undefined;
  const text = uuid.toLowerCase();
  const isPoor = [...new Set(text)].some(
    (character) => text.split(character).length - 1 > Math.floor(text.length / 2),
  );
  return isPoor ? `machine UUID ${text} entropy check failed` : undefined;
}

/** What a slot of the LUKS header holds: a key opens the slot that it was written to and no other. */
function slotText(key: EncryptionKey, volume: string, hardware: Hardware): string {
  return `${key.slot} ${fingerprint(key, volume, hardware)}`;
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
