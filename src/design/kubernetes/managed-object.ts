/** Objects that oxherd keeps in the cluster: each carries our label and the hash of what was last applied. */
import { sha256Hex } from '../../formats/text/hash.js';
import { ownKey } from '../../model/publisher.js';
import { canonicalJson } from '../canonical-json.js';

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'oxherd' } as const;
/** Field manager of what we apply; the client says the same. */
export const FIELD_OWNER = 'oxherd';
export const APPLIED = ownKey('applied');

/** Which object, for people and as a key: `StorageClass proxmox-csi`, `Secret csi-proxmox/proxmox-csi-plugin`. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface ManagedObject {
  readonly ref: ObjectRef;
  /** Of what is applied, label included. */
  readonly hash: string;
  /** With label and hash. */
  readonly object: KubeObject;
  /** What in the config it comes from. */
  readonly origin: string;
  readonly secret: boolean;
  /** Why it is not known what it should be: a fact that decides it could not be read. It is neither applied nor compared. */
  readonly undecided?: string;
}

export function managed(object: KubeObject, origin: string): ManagedObject {
  const labels = { ...object.metadata.labels, ...MANAGED_BY };
  const hash = objectHash({ ...object, metadata: { ...object.metadata, labels } });
  return {
    ref: refOf(object),
    hash,
    object: withHash({ ...object, metadata: { ...object.metadata, labels } }, hash),
    origin,
    secret: object.kind === 'Secret',
  };
}

export function objectHash(object: KubeObject): string {
  return sha256Hex(canonicalJson(object)).slice(0, 32);
}

export function withHash(object: KubeObject, hash: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [APPLIED]: hash };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

export function refOf({ apiVersion, kind, metadata }: KubeObject): ObjectRef {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

export function refText({ kind, name, namespace }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** Two kinds of one name may be of different groups. */
export function refKey(ref: ObjectRef): string {
  return `${ref.apiVersion} ${refText(ref)}`;
}
