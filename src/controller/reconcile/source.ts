/** The files of a cluster: read from the API, written where the session reads them. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFIG_MAPS, SECRETS } from '../../clients/kubernetes/index.js';
import { OxherdError } from '../../model/error.js';
import { isOutside, outside } from '../../session/config/read-config.js';
import type { SecretsText } from '../../session/context.js';
import type { ClusterSpec, Named, SiteSpec } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';

interface SourceFiles {
  /** Folder that holds the config and nothing else. */
  readonly folder: string;
  /** The config in it. */
  readonly path: string;
}

/** Config maps have no folders: `__` in a key stands for `/`. */
function fileName(key: string): string {
  return key.replaceAll('__', '/');
}

export async function writeSource(
  context: ControllerContext,
  { namespace, name, spec }: Named<ClusterSpec>,
): Promise<SourceFiles> {
  const { configMap, inline } = spec.source;
  const files = new Map<string, string>();
  if (configMap) {
    const found = await context.client.get(CONFIG_MAPS, configMap.name, namespace);
    if (!found) throw missing('config map', configMap.name, namespace);
    for (const [key, text] of Object.entries(found.data ?? {})) files.set(fileName(key), text);
    for (const [key, data] of Object.entries(found.binaryData ?? {}))
      files.set(fileName(key), Buffer.from(data, 'base64').toString('utf8'));
  } else files.set('oxherd.yaml', inline ?? '');
  const path = configMap?.path ?? 'oxherd.yaml';
  const folder = join(clusterFolder(context, namespace, name), 'config');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [file, text] of files) {
    if (isOutside(file)) throw outside(file);
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(target, text, { mode: 0o600 });
  }
  if (isOutside(path)) throw outside(path);
  if (!existsSync(join(folder, path)))
    throw new OxherdError('fleet.no-config', `the config map ${configMap?.name ?? ''} has no ${path}`, {
      advice: 'add it, or name another file with spec.source.configMap.path',
    });
  return { folder, path };
}

/** Journals and notes of one cluster on this replica. */
export function clusterFolder({ workFolder }: ControllerContext, namespace: string, name: string): string {
  return join(workFolder, `${namespace}_${name}`);
}

export const TOKEN_VARIABLE = 'OXHERD_SITE_TOKEN';

/** What the session sees as its environment: nothing of this process. */
export async function sessionEnvironment(
  context: ControllerContext,
  cluster: Named<ClusterSpec>,
  site: SiteSpec,
): Promise<Record<string, string>> {
  const { namespace, spec } = cluster;
  const env: Record<string, string> = { HOME: context.workFolder };
  if (spec.envSecretRef) Object.assign(env, await secretData(context, namespace, spec.envSecretRef.name));
  if (spec.ageKeyRef) {
    const { name, key = 'age.agekey' } = spec.ageKeyRef;
    env.SOPS_AGE_KEY = await secretValue(context, namespace, name, key);
  }
  const { name, key = 'token' } = site.tokenSecretRef;
  env[TOKEN_VARIABLE] = (await secretValue(context, context.namespace, name, key)).trim();
  return env;
}

const SECRETS_KEYS = ['secrets.sops.yaml', 'secrets.yaml'];

/** `undefined`: there are none yet, and none are named. */
export async function clusterSecretsText(
  context: ControllerContext,
  { namespace, name, spec }: Named<ClusterSpec>,
): Promise<SecretsText | undefined> {
  const given = spec.secretsRef?.name;
  const secret = given ?? generatedSecretsName(name);
  const found = await context.client.get(SECRETS, secret, namespace);
  if (!found && given === undefined) return undefined;
  if (!found) throw missing('secret', secret, namespace);
  for (const key of SECRETS_KEYS) {
    const data = found.data?.[key];
    if (data !== undefined)
      return {
        text: Buffer.from(data, 'base64').toString('utf8'),
        where: `Secret ${namespace}/${secret} (${key})`,
      };
  }
  throw new OxherdError('fleet.secrets', `the secret ${secret} has neither ${SECRETS_KEYS.join(' nor ')}`, {
    advice: 'create it from the secrets file of the cluster, or remove secretsRef for a new cluster',
  });
}

export function generatedSecretsName(cluster: string): string {
  return `${cluster}-talos-secrets`;
}

export async function secretData(context: ControllerContext, namespace: string, name: string) {
  const found = await context.client.get(SECRETS, name, namespace);
  if (!found) throw missing('secret', name, namespace);
  return Object.fromEntries(
    Object.entries(found.data ?? {}).map(([key, data]) => [
      key,
      Buffer.from(data, 'base64').toString('utf8'),
    ]),
  );
}

export async function secretValue(context: ControllerContext, namespace: string, name: string, key: string) {
  const value = (await secretData(context, namespace, name))[key];
  if (value !== undefined && value !== '') return value;
  throw new OxherdError('fleet.secrets', `the secret ${namespace}/${name} has no ${key}`, {
    advice: 'add the key, or name another one',
  });
}

function missing(kind: string, name: string, namespace: string): OxherdError {
  return new OxherdError('fleet.missing', `there is no ${kind} ${name} in namespace ${namespace}`, {
    advice: 'create it, or correct the reference',
  });
}
