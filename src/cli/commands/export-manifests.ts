/** Writes every Kubernetes object as a file of its own; secrets only when they are asked for. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { SECRETS } from '../../clients/kubernetes/resources.js';
import { CSI_NAMESPACE, CSI_SECRET } from '../../design/kubernetes/csi.js';
import type { KubeObject } from '../../design/kubernetes/managed-object.js';
import { SEALED_NAMESPACE, SEALED_SECRET } from '../../design/kubernetes/sealed-secrets.js';
import { type ManifestFile, manifestFiles } from '../../export/manifests.js';
import { OxherdError } from '../../model/error.js';
import { replacePrivateFile } from '../../secrets/private-file.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { look } from '../prepare-plan.js';
import { type Site, withSite } from '../site.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const secrets = options.secrets === true;
  const shown = String(options.out ?? '.');
  const folder = resolve(context.cwd, shown);
  const files = await withSite(context, async (site) => {
    const { kubernetes } = await look(site, { machines: false });
    return manifestFiles(kubernetes, { secrets, more: secrets ? await secretsInCluster(site) : [] });
  });
  await writeFiles(folder, shown, files);
  if (context.globals.json) {
    const document = { directory: folder, files: files.map(({ name }) => name) };
    context.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return EXIT.done;
  }
  context.stdout.write(`wrote ${files.length} ${files.length === 1 ? 'file' : 'files'} to ${shown}\n`);
  if (!secrets) context.stdout.write('secrets are left out; --secrets writes them too\n');
  return EXIT.done;
}

/** The CSI driver's token and a generated key pair exist in the cluster alone. */
async function secretsInCluster({ machines }: Site): Promise<KubeObject[]> {
  const { client } = machines.cluster;
  if (!client) {
    throw new OxherdError('export.no-secrets', 'the secrets of this cluster are not there', {
      advice: 'run the export without --secrets, or restore secrets.sops.yaml',
    });
  }
  const found = await Promise.all([
    readSecret(client, CSI_SECRET, CSI_NAMESPACE),
    readSecret(client, SEALED_SECRET, SEALED_NAMESPACE),
  ]);
  return found.flat();
}

async function readSecret(client: KubernetesClient, name: string, namespace: string): Promise<KubeObject[]> {
  const secret = await client.get(SECRETS, name, namespace);
  if (!secret) return [];
  const { labels } = secret.metadata ?? {};
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, ...(labels && { labels }) },
      type: secret.type ?? 'Opaque',
      data: secret.data ?? {},
    },
  ];
}

async function writeFiles(folder: string, shown: string, files: readonly ManifestFile[]): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text, secret } of files) {
      if (secret) await replacePrivateFile(join(folder, name), text);
      else writeFileSync(join(folder, name), text);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OxherdError('export.unwritable', `cannot write to ${shown}: ${reason}`, {
      where: folder,
      advice: 'name a folder that can be written to with `--out DIR`',
      cause,
    });
  }
}
