/**
 * The secrets of a cluster out of the machine config of one of its control planes, as
 * `talosctl gen secrets --from-controlplane-config` finds them: in the v1alpha1 document, or in the documents that
 * Talos 1.14 has for them, where PEM stands as it is.
 */
import { OxherdError } from '../model/error.js';
import { toBase64Pem } from './pem.js';
import { readSecretDocuments } from './secret-yaml.js';
import { checkTalosSecrets, type TalosSecrets } from './talos-secrets.js';

type Fields = Readonly<Record<string, unknown>>;

export function secretsFromMachineConfig(text: string, where: string): TalosSecrets {
  const documents = readDocuments(text, where);
  const main = documents.find((document) => document.kind === undefined) ?? {};
  const machine = fields(main.machine);
  const cluster = fields(main.cluster);
  if (machine.type !== 'controlplane') {
    throw new OxherdError('secrets.worker', `${where} is no control plane: its config has no keys`, {
      where,
      advice: 'name a control plane',
    });
  }
  const kind = (name: string) => documents.find((document) => document.kind === name) ?? {};
  const identity = kind('DiscoveryIdentityConfig');
  const secretbox = cluster.secretboxEncryptionSecret ?? encryptionSecret(kind, 'secretbox');
  const aescbc = cluster.aescbcEncryptionSecret ?? encryptionSecret(kind, 'aescbc');
  return checkTalosSecrets(
    {
      cluster: {
        id: cluster.id ?? identity.clusterID,
        secret: cluster.secret ?? identity.clusterSecret,
      },
      secrets: {
        bootstraptoken: cluster.token,
        ...(secretbox !== undefined && { secretboxencryptionsecret: secretbox }),
        ...(aescbc !== undefined && { aescbcencryptionsecret: aescbc }),
      },
      trustdinfo: { token: machine.token },
      certs: {
        etcd: fields(cluster.etcd).ca,
        k8s: cluster.ca ?? issuingCa(kind('KubeAPIServerCAConfig')),
        k8saggregator: cluster.aggregatorCA ?? issuingCa(kind('KubeAggregatorCAConfig')),
        k8sserviceaccount: cluster.serviceAccount ?? serviceAccount(kind('KubeServiceAccountConfig')),
        os: machine.ca,
      },
    },
    where,
  );
}

function readDocuments(text: string, where: string): Fields[] {
  const refusal = (place: string) =>
    new OxherdError('secrets.invalid', `the machine config of ${where} is not YAML at ${place}`, {
      where,
      advice: 'look at the machine: its config should be one that Talos took',
    });
  return readSecretDocuments(text, refusal).map(fields);
}

function issuingCa(document: Fields): { crt: unknown; key: unknown } {
  const { cert, key } = fields(document.issuingCA);
  return { crt: fromPem(cert), key: fromPem(key) };
}

function serviceAccount(document: Fields): { key: unknown } {
  return { key: fromPem(fields(document.issuer).privateKey) };
}

function fromPem(value: unknown): unknown {
  return typeof value === 'string' ? toBase64Pem(value) : value;
}

/** The first key of the provider: Kubernetes writes with it. */
function encryptionSecret(kind: (name: string) => Fields, provider: 'secretbox' | 'aescbc'): unknown {
  for (const resource of list(fields(kind('KubeEtcdEncryptionConfig').config).resources)) {
    for (const entry of list(fields(resource).providers)) {
      const [first] = list(fields(fields(entry)[provider]).keys);
      if (first !== undefined) return fields(first).secret;
    }
  }
  return undefined;
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
