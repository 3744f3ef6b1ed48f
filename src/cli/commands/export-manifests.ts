/** Writes every Kubernetes object as a file of its own; secrets only when they are asked for. */
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { SECRETS } from '../../clients/kubernetes/resources.js';
import { CSI_NAMESPACE, CSI_SECRET } from '../../design/kubernetes/csi-driver.js';
import type { KubeObject } from '../../design/kubernetes/managed-object.js';
import { SEALED_NAMESPACE, SEALED_SECRET } from '../../design/kubernetes/sealed-secrets.js';
import { manifestFiles } from '../../export/manifests.js';
import { OxherdError } from '../../model/error.js';
import { type Site, withSite } from '../../session/connect/site.js';
import { look } from '../../session/plan/prepare-plan.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { writeExport } from '../write-export.js';

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const secrets = input.options.secrets === true;
  const files = await withSite(context, async (site) => {
    const { kubernetes } = await look(site, { machines: false });
    return manifestFiles(kubernetes, { secrets, more: secrets ? await secretsInCluster(site) : [] });
  });
  await writeExport(context, input, files);
  if (!secrets && !context.globals.json) {
    context.stdout.write('secrets are left out; --secrets writes them too\n');
  }
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
