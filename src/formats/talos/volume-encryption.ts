/** Keys of encrypted volumes in a machine config, and what Talos demands of them. */
import { isMapping, type Mapping } from '../text/mapping.js';

interface VolumeKey {
  readonly slot: number;
  readonly kind: 'static' | 'nodeID' | 'kms' | 'tpm';
}

const KINDS = ['static', 'nodeID', 'kms', 'tpm'] as const;

/** Which ids Talos gives the volumes of a document: `u-data` for the UserVolumeConfig `data`. */
const PREFIXES: Readonly<Record<string, string>> = {
  VolumeConfig: '',
  UserVolumeConfig: 'u-',
  RawVolumeConfig: 'r-',
  SwapVolumeConfig: 's-',
};

export function volumeId(kind: string, name: string): string {
  return `${PREFIXES[kind] ?? ''}${name}`;
}

/** By the volume's id in Talos, in the order in which Talos tries them. */
export function volumeKeys(documents: readonly Mapping[]): ReadonlyMap<string, readonly VolumeKey[]> {
  return new Map(
    documents.flatMap((document): [string, VolumeKey[]][] => {
      const kind = String(document.kind);
      return PREFIXES[kind] === undefined
        ? systemEncryption(document)
        : keysOf(volumeId(kind, String(document.name)), document.encryption);
    }),
  );
}

/** `machine.systemDiskEncryption`, which VolumeConfig has replaced. */
function systemEncryption({ kind, machine }: Mapping): [string, VolumeKey[]][] {
  if (kind !== undefined || !isMapping(machine) || !isMapping(machine.systemDiskEncryption)) return [];
  const { state, ephemeral } = machine.systemDiskEncryption;
  return [...keysOf('STATE', state), ...keysOf('EPHEMERAL', ephemeral)];
}

function keysOf(id: string, encryption: unknown): [string, VolumeKey[]][] {
  if (!isMapping(encryption) || !Array.isArray(encryption.keys)) return [];
  const keys = encryption.keys.filter(isMapping).flatMap((key): VolumeKey[] => {
    const kind = KINDS.find((one) => key[one] !== undefined);
    return kind === undefined ? [] : [{ slot: Number(key.slot ?? 0), kind }];
  });
  return keys.length === 0 ? [] : [[id, keys.sort((a, b) => a.slot - b.slot)]];
}

export function hasNodeKeys(documents: readonly Mapping[]): boolean {
  return [...volumeKeys(documents).values()].flat().some(({ kind }) => kind === 'nodeID');
}

/**
 * Talos makes no `nodeID` key of a uuid in which one character takes more than half of the places
 * (internal/pkg/encryption/keys/nodeid.go; refused by a real 1.14.1 machine).
 */
export function canMakeNodeKey(uuid: string): boolean {
  const counts = new Map<string, number>();
  for (const character of uuid.toLowerCase()) counts.set(character, (counts.get(character) ?? 0) + 1);
  return Math.max(0, ...counts.values()) <= Math.floor(uuid.length / 2);
}
