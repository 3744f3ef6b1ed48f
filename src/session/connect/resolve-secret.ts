/** Turns "where the secret is" into the secret, at the last moment. Its value goes into no message. */

import { resolve } from 'node:path';
import type { SecretRef } from '../../config/config-values.js';
import { readVariables } from '../../config/from-tfvars/read-variables.js';
import { isMapping, ownValue } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { MAX_INCLUDED_BYTES, readTextLimited } from '../../secrets/read-file.js';
import { readSopsTree, systemEnvironment } from '../../secrets/store.js';
import type { SessionContext } from '../context.js';

/**
 * Credentials of oxherd itself and of the job that runs it. A config that puts one of them into a cluster would hand it to
 * everyone who can read that cluster.
 */
const OWN_CREDENTIALS = [
  'OXHERD_PROXMOX_TOKEN',
  'OXHERD_SITE_TOKEN',
  'OXHERD_GITLAB_TOKEN',
  'GITHUB_TOKEN',
  'CI_JOB_TOKEN',
  'SOPS_AGE_KEY',
];

/** The token of Proxmox, which is sent to Proxmox only. */
export function resolveProxmoxToken(
  context: Pick<SessionContext, 'env'>,
  directory: string,
  ref: SecretRef,
): Promise<string> {
  return resolveReference(context, directory, ref);
}

/** Any other secret. */
export async function resolveSecret(
  context: Pick<SessionContext, 'env'>,
  directory: string,
  ref: SecretRef,
): Promise<string> {
  if (ref.kind === 'env' && OWN_CREDENTIALS.includes(ref.name))
    throw new OxherdError('secret.own', `${ref.name} is a credential of oxherd, not of the cluster`, {
      advice: 'put the value that this key needs into another variable, and name that one',
    });
  return resolveReference(context, directory, ref);
}

async function resolveReference(
  context: Pick<SessionContext, 'env'>,
  directory: string,
  ref: SecretRef,
): Promise<string> {
  switch (ref.kind) {
    case 'env': {
      const value = ownValue(context.env, ref.name);
      if (value) return value.trim();
      throw new OxherdError('secret.missing', `the environment variable ${ref.name} is not set`, {
        advice: `export ${ref.name}='user@realm!id=…'`,
      });
    }
    case 'file':
      return readSecretFile(resolve(directory, ref.path)).trim();
    case 'sops': {
      const path = resolve(directory, ref.path);
      let value: unknown = await readSopsTree(readSecretFile(path), path, systemEnvironment(context.env));
      for (const key of ref.key) value = isMapping(value) ? ownValue(value, key) : undefined;
      if (typeof value === 'string' && value !== '') return value.trim();
      throw new OxherdError('secret.missing', `there is no text at ${ref.key.join('.')} in ${ref.path}`, {
        where: path,
      });
    }
    case 'tfvars': {
      const path = resolve(directory, ref.path);
      const { document } = readVariables([{ path: ref.path, name: ref.path, text: readSecretFile(path) }]);
      const value = document && ownValue(document.raw, ref.variable);
      if (typeof value === 'string' && value !== '') return value.trim();
      throw new OxherdError('secret.missing', `${ref.path} has no text for ${ref.variable}`, { where: path });
    }
  }
}

function readSecretFile(path: string): string {
  try {
    return readTextLimited(path, MAX_INCLUDED_BYTES);
  } catch (cause) {
    if (cause instanceof OxherdError) throw cause;
    throw new OxherdError('secret.unreadable', `the secret's file cannot be read`, {
      where: path,
      cause,
      advice: 'write the secret into that file (mode 0600), or name another one in oxherd.yaml',
    });
  }
}
