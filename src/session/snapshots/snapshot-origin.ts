/** Reads and writes what is noted beside a snapshot, and asks which cluster runs now. */
import { readFile } from 'node:fs/promises';
import { NAMESPACES } from '../../clients/kubernetes/resources.js';
import { SNAPSHOT_HASH_BYTES } from '../../formats/talos/etcd-snapshot.js';
import {
  certificatesIn,
  originInside,
  parseOrigin,
  printOrigin,
  type SnapshotOrigin,
  type SnapshotOwner,
  snapshotBelongs,
} from '../../formats/talos/snapshot-origin.js';
import { OxherdError } from '../../model/error.js';
import { attempt } from '../../observe/attempt.js';
import type { SnapshotFile } from '../../plan/input.js';
import { fromBase64Pem } from '../../secrets/pem.js';
import { replacePrivateFile } from '../../secrets/private-file.js';
import { secretsFingerprint } from '../../secrets/talos-secrets.js';
import type { Site } from '../connect/site.js';

/** The note of a snapshot stands beside it. */
export function notePath(path: string): string {
  return `${path}.json`;
}

export async function writeOrigin({ path, sha256 }: SnapshotFile, owner: SnapshotOwner): Promise<void> {
  await replacePrivateFile(notePath(path), `${printOrigin(sha256, owner)}\n`);
}

/** Empty where there is none. */
export async function readNote(path: string): Promise<string> {
  return (await readFile(notePath(path), 'utf8').catch(() => '')).trim();
}

/** By the note, and without one by what the file holds. */
export async function originOf({ path, sha256 }: SnapshotFile): Promise<SnapshotOrigin> {
  const noted = parseOrigin(await readNote(path), sha256);
  if (noted) return noted;
  // A file that is too large to be read at once has no origin, so a person is asked.
  const bytes = await readFile(path).catch(() => undefined);
  return bytes ? originInside(bytes.subarray(0, -SNAPSHOT_HASH_BYTES)) : {};
}

/** The cluster of a session, as far as it can be asked. */
export async function snapshotOwner(site: Site): Promise<SnapshotOwner> {
  const { client } = site.machines.cluster;
  const found = client ? await attempt(() => client.get(NAMESPACES, 'kube-system')) : undefined;
  const uid = found?.known ? found.value?.metadata?.uid : undefined;
  return { ...ownerBySecrets(site), ...(uid !== undefined && { cluster: uid }) };
}

function ownerBySecrets({ machines: { secrets } }: Site): SnapshotOwner {
  if (!secrets) return {};
  const [authority] = certificatesIn(fromBase64Pem(secrets.certs.k8s.crt));
  return { secrets: secretsFingerprint(secrets), ...(authority !== undefined && { authority }) };
}

/** What a person has to confirm before etcd begins with the snapshot; one of another cluster is refused. */
export async function snapshotDoubts(site: Site, snapshot: SnapshotFile): Promise<string[]> {
  const origin = await originOf(snapshot);
  const belongs = snapshotBelongs(origin, ownerBySecrets(site));
  if (belongs === 'ours') return [];
  if (belongs === 'unknown') return [`${snapshot.path} does not record which cluster it was taken from`];
  throw new OxherdError(
    'etcd.other-cluster',
    `${snapshot.path} is a snapshot of a cluster with other secrets than ${site.machines.secretsPath}`,
    {
      where: snapshot.path,
      advice:
        'nothing was changed; name a snapshot of this cluster, or put the secrets of the cluster that it was taken from in place',
    },
  );
}
