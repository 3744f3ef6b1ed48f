import { GIB, MIB } from '../../model/size.js';
import { at, type ConfigDocument, string } from './config-document.js';

/** A volume that a machine config asks for. */
export type VolumeSpec =
  | { readonly kind: 'directory'; readonly id: string }
  | { readonly kind: 'disk'; readonly id: string; readonly match: string; readonly filesystem: string }
  | {
      readonly kind: 'partition';
      readonly id: string;
      /** Found by it on any disk, whatever the selector says. */
      readonly label: string;
      readonly match: string;
      readonly wave: 'system' | 'user';
      readonly minSize: number;
      readonly maxSize?: MaxSize;
      readonly grow: boolean;
      readonly filesystem: string;
    };

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
  const specs: VolumeSpec[] = [
    {
      kind: 'partition',
      id: 'STATE',
      label: 'STATE',
      match: SYSTEM_DISK,
      wave: 'system',
      minSize: STATE_SIZE,
      maxSize: { bytes: STATE_SIZE },
      grow: false,
      filesystem: 'xfs',
    },
    systemPartition('EPHEMERAL', system.get('EPHEMERAL')),
  ];
  for (const name of PROMOTABLE) {
    const body = system.get(name);
    if (body && at(body, 'provisioning') !== undefined) specs.push(systemPartition(name, body));
  }
  for (const { kind, name, body } of documents) {
    if (kind === 'UserVolumeConfig') specs.push(userVolume(name, body));
    if (kind === 'RawVolumeConfig') specs.push(partition(`r-${name}`, body, ''));
    if (kind === 'SwapVolumeConfig') specs.push(partition(`s-${name}`, body, 'swap'));
  }
  return specs;
}

function systemPartition(name: string, body: Readonly<Record<string, unknown>> | undefined): VolumeSpec {
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

function userVolume(name: string, body: Readonly<Record<string, unknown>>): VolumeSpec {
  const filesystem = string(at(body, 'filesystem', 'type')) ?? 'xfs';
  if (body.volumeType === 'directory') return { kind: 'directory', id: `u-${name}` };
  if (body.volumeType === 'disk') {
    const match = string(at(body, 'provisioning', 'diskSelector', 'match')) ?? 'false';
    return { kind: 'disk', id: `u-${name}`, match, filesystem };
  }
  return partition(`u-${name}`, body, filesystem);
}

function partition(id: string, body: Readonly<Record<string, unknown>>, filesystem: string): VolumeSpec {
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
