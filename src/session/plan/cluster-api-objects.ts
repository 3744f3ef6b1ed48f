/** Whether Cluster API knows these machines: by its marks on the nodes, or by its objects in the cluster itself. */
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { CUSTOM_RESOURCE_DEFINITIONS, NODES } from '../../clients/kubernetes/resources.js';
import { isMapping } from '../../formats/text/mapping.js';
import { attempt } from '../../observe/attempt.js';
import type { Site } from '../connect/site.js';

const MACHINE = 'cluster.x-k8s.io/machine';
const DEFINITION = 'machines.cluster.x-k8s.io';

/** Node object → its Machine, in words; nothing where the API does not answer. */
export async function clusterApiObjects({ machines: { cluster } }: Site): Promise<Record<string, string>> {
  const { client } = cluster;
  if (!client) return {};
  const [nodes, machines] = await Promise.all([
    attempt(() => client.list(NODES)),
    attempt(() => listMachines(client)),
  ]);
  const marked = (nodes.known ? nodes.value : []).flatMap(({ metadata }): [string, string][] => {
    const machine = metadata?.annotations?.[MACHINE];
    return machine === undefined || metadata?.name === undefined
      ? []
      : [[metadata.name, `Machine ${machine}`]];
  });
  return Object.fromEntries([...(machines.known ? machines.value : []), ...marked]);
}

/** A cluster that manages itself has them; one that only manages others has none of its own nodes. */
async function listMachines(client: KubernetesClient): Promise<[string, string][]> {
  const definition = await client.get(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION);
  const version = definition?.spec.versions.find(({ served }) => served)?.name;
  if (version === undefined) return [];
  const resource = await client.resourceOf(`cluster.x-k8s.io/${version}`, 'Machine');
  return (await client.list(resource)).flatMap((machine): [string, string][] => {
    const { metadata, status } = isMapping(machine) ? machine : {};
    const node = isMapping(status) && isMapping(status.nodeRef) ? status.nodeRef.name : undefined;
    const name = isMapping(metadata) ? metadata.name : undefined;
    return typeof node === 'string' ? [[node, `Machine ${String(name)}`]] : [];
  });
}
