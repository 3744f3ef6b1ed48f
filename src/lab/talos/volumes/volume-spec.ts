import { GIB, MIB } from '../../../model/size.js';
import { at, type ConfigDocument, list, record, string } from '../config/config-document.js';

/** A volume that a machine config asks for. */
export type VolumeSpec =
  | { readonly kind: 'directory'; readonly id: string }
  | (FormattedVolume & { readonly kind: 'disk'; readonly match: string })
  | (FormattedVolume & {
      readonly kind: 'partition';
      /** Found by it on any disk, whatever the selector says. */
      readonly label: string;
      readonly match: string;
      readonly wave: 'system' | 'user';
      readonly minSize: number;
      readonly maxSize?: MaxSize;
      readonly grow: boolean;
    });

export interface FormattedVolume {
  readonly id: string;
  /** '' for raw volumes. */
  readonly filesystem: string;
  readonly encryption?: EncryptionSpec;
}

/** Keys in order of their slots. */
type EncryptionSpec = readonly EncryptionKey[];

export interface EncryptionKey {
  readonly slot: number;
  readonly kind: 'static' | 'nodeID' | 'kms' | 'tpm';
  /** Passphrase or endpoint. */
  readonly secret: string;
  readonly lockToState: boolean;
}

export type MaxSize =
  | { readonly bytes: number }
  | { readonly percent: number }
  /** Written negative: so much is left free. */
  | { readonly leave: number };

const SYSTEM_DISK = 'system_disk';
/** internal/pkg/partition of Talos: the least EPHEMERAL takes. */
const EPHEMERAL_MIN = 2 * GIB;
const STATE_SIZE = 100 * MIB;
const USER_MIN = 100 * MIB;
/** Where EPHEMERAL holds a system directory of its own from 1.14 on. */
const PROMOTABLE = ['ETCD', 'CRI', 'KUBELET', 'LOG', 'IMAGECACHE'];

export function readVolumeSpecs(documents: readonly ConfigDocument[]): VolumeSpec[] {
  const system = new Map(
    documents.filter(({ kind }) => kind === 'VolumeConfig').map(({ name, body }) => [name, body]),
  );
  const old = oldEncryption(documents);
  const specs: VolumeSpec[] = [
    {
      kind: 'partition',
      ...encryptionOf(system.get('STATE'), old.state),
      id: 'STATE',
      label: 'STATE',
      match: SYSTEM_DISK,
      wave: 'system',
      minSize: STATE_SIZE,
      maxSize: { bytes: STATE_SIZE },
      grow: false,
      filesystem: 'xfs',
    },
    {
      ...systemPartition('EPHEMERAL', system.get('EPHEMERAL')),
      ...encryptionOf(system.get('EPHEMERAL'), old.ephemeral),
    },
  ];
  for (const name of PROMOTABLE) {
    const body = system.get(name);
    if (body && at(body, 'provisioning') !== undefined)
      specs.push({ ...systemPartition(name, body), ...encryptionOf(body) });
  }
  for (const { kind, name, body } of documents) {
    if (kind === 'UserVolumeConfig') specs.push(userVolume(name, body));
    if (kind === 'RawVolumeConfig') specs.push(partition(`r-${name}`, body, ''));
    if (kind === 'SwapVolumeConfig') specs.push(partition(`s-${name}`, body, 'swap'));
  }
  return specs;
}

function systemPartition(name: string, body: Body | undefined): VolumeSpec & { kind: 'partition' } {
  const provisioning = at(body, 'provisioning');
  const maxSize = readMaxSize(at(provisioning, 'maxSize'));
  return {
    kind: 'partition',
    id: name,
    label: name,
    match: string(at(provisioning, 'diskSelector', 'match')) ?? SYSTEM_DISK,
    wave: 'system',
    minSize: readSize(at(provisioning, 'minSize')) ?? EPHEMERAL_MIN,
    ...(maxSize ? { maxSize } : {}),
    grow: at(provisioning, 'grow') !== false,
    filesystem: 'xfs',
  };
}

function userVolume(name: string, body: Body): VolumeSpec {
  const filesystem = string(at(body, 'filesystem', 'type')) ?? 'xfs';
  if (body.volumeType === 'directory') return { kind: 'directory', id: `u-${name}` };
  if (body.volumeType === 'disk') {
    const match = string(at(body, 'provisioning', 'diskSelector', 'match')) ?? 'false';
    return { kind: 'disk', id: `u-${name}`, match, filesystem, ...encryptionOf(body) };
  }
  return partition(`u-${name}`, body, filesystem);
}

function partition(id: string, body: Body, filesystem: string): VolumeSpec {
  const provisioning = at(body, 'provisioning');
  const maxSize = readMaxSize(at(provisioning, 'maxSize'));
  return {
    kind: 'partition',
    id,
    label: id,
    match: string(at(provisioning, 'diskSelector', 'match')) ?? 'false',
    wave: 'user',
    minSize: readSize(at(provisioning, 'minSize')) ?? USER_MIN,
    ...(maxSize ? { maxSize } : {}),
    grow: at(provisioning, 'grow') === true,
    filesystem,
    ...encryptionOf(body),
  };
}

type Body = Readonly<Record<string, unknown>>;

/** `machine.systemDiskEncryption`, which VolumeConfig has taken the place of. */
function oldEncryption(documents: readonly ConfigDocument[]): { state: unknown; ephemeral: unknown } {
  const main = documents.find(({ kind }) => kind === 'v1alpha1')?.body;
  const spec = at(main, 'machine', 'systemDiskEncryption');
  return { state: at(spec, 'state'), ephemeral: at(spec, 'ephemeral') };
}

function encryptionOf(body: Body | undefined, old?: unknown): { encryption?: EncryptionSpec } {
  const spec = record(body?.encryption ?? old);
  if (string(spec.provider) === undefined) return {};
  return {
    encryption: list(spec.keys)
      .map(readKey)
      .sort((a, b) => a.slot - b.slot),
  };
}

function readKey(value: unknown): EncryptionKey {
  const kind = (['static', 'kms', 'tpm'] as const).find((one) => at(value, one) !== undefined) ?? 'nodeID';
  return {
    slot: Number(at(value, 'slot') ?? 0),
    kind,
    secret: string(at(value, kind, 'passphrase')) ?? string(at(value, kind, 'endpoint')) ?? '',
    lockToState: at(value, 'lockToState') === true,
  };
}

const FACTORS: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  kib: 1024,
  mib: MIB,
  gib: GIB,
  tib: 1024 ** 4,
  pib: 1024 ** 5,
  ki: 1024,
  mi: MIB,
  gi: GIB,
  ti: 1024 ** 4,
};

/** Sizes as Talos reads them: `10GiB` is binary, `10GB` decimal, a bare number bytes. */
export function readSize(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  const match = /^([\d.,]+)\s*([A-Za-z]*)$/.exec(string(value) ?? '');
  const factor = FACTORS[(match?.[2] ?? '?').toLowerCase()];
  const amount = Number((match?.[1] ?? '').replaceAll(',', ''));
  return match && factor !== undefined && Number.isFinite(amount) ? Math.floor(amount * factor) : undefined;
}

export function readMaxSize(value: unknown): MaxSize | undefined {
  const text = typeof value === 'number' ? String(value) : string(value);
  if (text === undefined || text === '') return undefined;
  if (text.endsWith('%')) return { percent: Number(text.slice(0, -1)) };
  if (text.startsWith('-')) {
    const leave = readSize(text.slice(1));
    return leave === undefined ? undefined : { leave };
  }
  const bytes = readSize(text);
  return bytes === undefined ? undefined : { bytes };
}
