/** The Kubernetes API of a folder's lab, with the admin certificate of the folder's secrets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { connectKubernetes, type KubernetesClient } from '../../src/clients/kubernetes/client.js';
import { type TalosAccess, talosAccess } from '../../src/clients/talos/access.js';
import { RESOURCES } from '../../src/clients/talos/resources.js';
import { issueKubernetesAdmin, issueTalosClient } from '../../src/secrets/generate.js';
import { fromBase64Pem } from '../../src/secrets/pem.js';
import { systemEnvironment } from '../../src/secrets/store.js';
import { parseTalosSecrets, type TalosSecrets } from '../../src/secrets/talos-secrets.js';
import { type CliFolder, type LabAccess, labFile } from './cli.js';

export interface ClusterAccess extends LabAccess {
  readonly kubernetes: KubernetesClient;
  readonly talos: TalosAccess;
  readonly secrets: TalosSecrets;
  /** Lets lab time pass. */
  pass(seconds: number): Promise<void>;
}

export function withCluster<T>(
  folder: CliFolder,
  endpoint: string,
  work: (access: ClusterAccess) => Promise<T>,
  /** Where the lab has several. */
  cluster?: string,
): Promise<T> {
  return folder.withLab((access) => withClusterOf(folder, endpoint, access, work, cluster));
}

/** The same on a lab that is open. */
export async function withClusterOf<T>(
  folder: CliFolder,
  endpoint: string,
  access: LabAccess,
  work: (access: ClusterAccess) => Promise<T>,
  cluster?: string,
): Promise<T> {
  const { clock } = access.lab;
  const path =
    cluster === undefined
      ? labFile(folder.path, 'secrets.yaml')
      : join(folder.path, '.oxherd', 'lab', cluster, 'secrets.yaml');
  const secrets = parseTalosSecrets(readFileSync(path, 'utf8'), path);
  const admin = await issueKubernetesAdmin(secrets, systemEnvironment({}));
  const kubernetes = connectKubernetes({
    clock,
    endpoints: [endpoint],
    credentials: {
      ca: fromBase64Pem(secrets.certs.k8s.crt),
      certificate: fromBase64Pem(admin.crt),
      key: fromBase64Pem(admin.key),
    },
    dial: (ip, port) => access.lab.dial(ip, port),
  });
  const client = await issueTalosClient(secrets, systemEnvironment({}));
  const talos = await talosAccess({
    clock,
    credentials: {
      ca: fromBase64Pem(secrets.certs.os.crt),
      certificate: fromBase64Pem(client.crt),
      key: fromBase64Pem(client.key),
    },
    dial: (ip, port) => access.lab.dial(ip, port),
  });
  try {
    return await work({
      ...access,
      kubernetes,
      talos,
      secrets,
      pass: (seconds) => clock.sleep(seconds * 1_000),
    });
  } finally {
    talos.close();
    await kubernetes.close();
  }
}

/** What a person does with `talosctl edit machineconfig`. */
export async function editMachineConfig(
  { talos }: ClusterAccess,
  ip: string,
  path: readonly string[],
  value: unknown,
): Promise<void> {
  const machine = talos.admin(ip);
  const resource = await machine?.get(RESOURCES.machineConfig, 'v1alpha1');
  const documents = parseAllDocuments(String(resource?.spec ?? ''));
  documents.find((document) => document.has('machine'))?.setIn(path, value);
  await machine?.applyConfiguration(documents.map(String).join('---\n'), { mode: 'no-reboot' });
}

export const claim = (name: string, volume: string, size: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'proxmox-csi',
    volumeName: volume,
    resources: { requests: { storage: size } },
  },
});

export const podWith = (name: string, claimName: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    containers: [
      { name: 'main', image: 'busybox:1.37', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  },
});
