/** The cluster's secrets for commands: found, made on demand in the lab, and turned into client files. */
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { formatSecretRef } from '../../config/secret-ref.js';
import { OxherdError } from '../../model/error.js';
import { kubeconfigText, talosconfigText } from '../../secrets/client-files.js';
import { issueKubernetesAdmin, issueTalosClient } from '../../secrets/generate.js';
import { clientFilesFolder, type SecretsPlace, secretsPlace } from '../../secrets/locate.js';
import {
  ensureSecrets,
  type LoadedSecrets,
  loadSecrets,
  readSecretsText,
  systemEnvironment,
} from '../../secrets/store.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import { resolveSecret } from '../connect/resolve-secret.js';
import { filesOf, type SessionContext } from '../context.js';
import type { ClientAddresses } from './client-addresses.js';
import { sharedSecretsNote } from './shared-secrets.js';

export interface ClusterName {
  readonly name: string;
  readonly env: string;
}

/** Real secrets are beside the config, whatever the cluster is called; those of the lab are kept by cluster. */
export function placeOf(
  context: Pick<SessionContext, 'cwd' | 'configPath' | 'target'>,
  cluster: ClusterName,
): SecretsPlace {
  return secretsPlace({ ...filesOf(context), config: context.configPath, cluster });
}

/** `undefined` where there are none yet. Outside of the lab, tells of a plain file and of other clusters that have the same secrets. */
export async function findSecrets(
  context: SessionContext,
  cluster: ClusterName,
): Promise<LoadedSecrets | undefined> {
  if (context.secrets) {
    const { text, where } = context.secrets;
    return { ...(await readSecretsText(text, where, systemEnvironment(context.env))), path: where };
  }
  const loaded = await loadSecrets(placeOf(context, cluster), systemEnvironment(context.env));
  if (loaded && !loaded.encrypted && context.target.kind !== 'lab') {
    const message = `${loaded.path} is not encrypted; \`sops encrypt --in-place\` would do it`;
    context.tell({ kind: 'note', message });
  }
  const shared = loaded && context.target.kind !== 'lab' && sharedSecretsNote(loaded.path, cluster);
  if (shared) context.tell({ kind: 'note', message: shared });
  return loaded;
}

/** The secrets that are there; in the lab new ones where there are none. */
export async function requireSecrets(context: SessionContext, cluster: ClusterName): Promise<LoadedSecrets> {
  const environment = systemEnvironment(context.env);
  if (context.target.kind === 'lab') return ensureSecrets(placeOf(context, cluster), environment);
  const found = await findSecrets(context, cluster);
  if (found) return found;
  const { path } = placeOf(context, cluster);
  throw new OxherdError('secrets.none', `there are no secrets for this cluster: ${path}`, {
    where: path,
    advice:
      'Make them with `oxherd secrets init`, or take in those of an existing cluster with `oxherd secrets import FILE`.',
  });
}

/** Passphrases of `static` disk keys, by where the config says they are. */
export async function readPassphrases(
  context: Pick<SessionContext, 'env'>,
  config: Config,
  directory: string,
): Promise<Record<string, string>> {
  const passphrases: Record<string, string> = {};
  for (const key of [config.talos.encryption?.state, config.talos.encryption?.ephemeral]) {
    if (key?.kind !== 'static') continue;
    passphrases[formatSecretRef(key.passphrase)] = await resolveSecret(context, directory, key.passphrase);
  }
  return passphrases;
}

interface ClientFiles {
  readonly talosconfig: string;
  readonly kubeconfig: string;
}

/** Issues new admin certificates and writes both files as text. */
export async function issueClientFiles(
  config: Config,
  secrets: TalosSecrets,
  { endpoints, server }: ClientAddresses,
): Promise<ClientFiles> {
  const { now, random } = systemEnvironment({});
  const [talos, kubernetes] = await Promise.all([
    issueTalosClient(secrets, { now, random }),
    issueKubernetesAdmin(secrets, { now, random }),
  ]);
  const cluster = config.cluster.name;
  return {
    talosconfig: talosconfigText(secrets, { cluster, endpoints, client: talos }),
    kubeconfig: kubeconfigText(secrets, {
      cluster,
      server,
      client: kubernetes,
    }),
  };
}

export function clientFilePaths(
  context: Pick<SessionContext, 'cwd' | 'target'>,
  config: Config,
): ClientFiles {
  const folder = clientFilesFolder(filesOf(context), config.cluster);
  return { talosconfig: join(folder, 'talosconfig'), kubeconfig: join(folder, 'kubeconfig') };
}
