/** Real secrets lie beside the config, so two configs in one folder have the same ones: one CA for two clusters. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isMapping } from '../../formats/text/mapping.js';
import { readYamlDocuments, YamlTextError } from '../../formats/text/yaml-text.js';
import { MAX_INCLUDED_BYTES, readTextLimited } from '../../secrets/read-file.js';

interface ClusterName {
  readonly name: string;
  readonly env: string;
}

/** What to tell of other configs in the folder of a secrets file, or `undefined`: there are none. */
export function sharedSecretsNote(secretsFile: string, cluster: ClusterName): string | undefined {
  const folder = dirname(secretsFile);
  const others = namesIn(folder).flatMap((name) => {
    const other = clusterOfFile(join(folder, name));
    return other === undefined || (other.name === cluster.name && other.env === cluster.env)
      ? []
      : [`${name} (cluster ${shown(other)})`];
  });
  if (others.length === 0) return undefined;
  return `${basename(secretsFile)} is also used for ${others.join(', ')}: an administrator of ${shown(cluster)} can administer these clusters too, since they have one CA; keep each config in a folder of its own, and create its secrets there with \`oxherd secrets init\` before its first apply`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/.test(name))
      .sort();
  } catch {
    // The note is a help; the file of the secrets itself was read.
    return [];
  }
}

/** `undefined`: it is not a config of oxherd, or it cannot be read. */
function clusterOfFile(path: string): ClusterName | undefined {
  const document = read(path);
  if (!isMapping(document) || !isMapping(document.proxmox) || !isMapping(document.nodes)) return undefined;
  const { cluster } = document;
  if (!isMapping(cluster) || typeof cluster.name !== 'string') return undefined;
  return { name: cluster.name, env: typeof cluster.env === 'string' ? cluster.env : '' };
}

function read(path: string): unknown {
  try {
    return readYamlDocuments(readTextLimited(path, MAX_INCLUDED_BYTES))[0];
  } catch (error) {
    if (error instanceof YamlTextError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}

function shown({ name, env }: ClusterName): string {
  return env === '' ? name : `${name} (${env})`;
}
