/**
 * Which cluster a snapshot of etcd was taken from. oxherd notes it beside each snapshot it takes: the fingerprint of the
 * secrets, and the uid of the namespace kube-system, which Kubernetes gives to each new cluster. A snapshot without that
 * note (older, or made by talosctl) is known only by what it holds: the same uid, and the CA that the controller manager
 * publishes as configmap kube-root-ca.crt (kubernetes: pkg/controller/certificates/rootcacertpublisher).
 */
import { isMapping } from '../text/mapping.js';
import { readEtcdContents } from './etcd-contents.js';

export interface SnapshotOrigin {
  /** Fingerprint of the secrets; absent: it was not noted. */
  readonly secrets?: string;
  /** uid of the namespace kube-system. */
  readonly cluster?: string;
  /** Certificates of its Kubernetes CA, each as base64 without line ends. */
  readonly authorities?: readonly string[];
}

/** A cluster as the owner of snapshots. */
export interface SnapshotOwner {
  /** Absent: there are no secrets. */
  readonly secrets?: string;
  /** Absent: the API did not answer. */
  readonly cluster?: string;
  readonly authority?: string;
}

/** The note, for the snapshot with that hash and no other. */
export function printOrigin(sha256: string, { secrets, cluster }: SnapshotOwner): string {
  return JSON.stringify({ sha256, secrets, cluster });
}

/** `undefined`: it is no note, or one of another file. */
export function parseOrigin(text: string, sha256: string): SnapshotOrigin | undefined {
  let note: unknown;
  try {
    note = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isMapping(note) || note.sha256 !== sha256) return undefined;
  return {
    ...(typeof note.secrets === 'string' && { secrets: note.secrets }),
    ...(typeof note.cluster === 'string' && { cluster: note.cluster }),
  };
}

const NAMESPACE = '/registry/namespaces/kube-system';
const ROOT_CA = '/registry/configmaps/kube-system/kube-root-ca.crt';

/** What the database itself says; empty if it cannot be read. */
export function originInside(database: Uint8Array): SnapshotOrigin {
  const text = new Map<string, string>();
  try {
    const { values } = readEtcdContents(database, [NAMESPACE, ROOT_CA]);
    for (const [path, value] of values) text.set(path, new TextDecoder('latin1').decode(value));
  } catch {
    return {};
  }
  const [cluster] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text.get(NAMESPACE) ?? '') ?? [];
  const authorities = certificatesIn(text.get(ROOT_CA) ?? '');
  return { ...(cluster !== undefined && { cluster }), ...(authorities.length > 0 && { authorities }) };
}

/** Also with `\n` of JSON for line ends. */
export function certificatesIn(text: string): string[] {
  return [...text.matchAll(/-----BEGIN CERTIFICATE-----([\s\S]+?)-----END CERTIFICATE-----/g)].map(
    ([, body = '']) => body.replaceAll(/\\n|\s/g, ''),
  );
}

/** `unknown`: nothing contradicts, and no fingerprint proves it. */
export function snapshotBelongs(origin: SnapshotOrigin, owner: SnapshotOwner): 'ours' | 'other' | 'unknown' {
  if (origin.secrets !== undefined) return origin.secrets === owner.secrets ? 'ours' : 'other';
  const { authorities = [] } = origin;
  const { authority } = owner;
  if (authorities.length === 0 || authority === undefined) return 'unknown';
  return authorities.includes(authority) ? 'unknown' : 'other';
}

/** Whether a snapshot is one of the cluster that runs now, not of one that was destroyed and had its name. */
export function isOfThisCluster(origin: SnapshotOrigin, owner: SnapshotOwner): boolean {
  if (snapshotBelongs(origin, owner) === 'other') return false;
  return owner.cluster === undefined || origin.cluster === owner.cluster;
}
