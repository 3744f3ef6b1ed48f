/** The object that Kubernetes has for a node of the config. */
import type { Node } from 'kubernetes-types/core/v1.js';
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { NODES } from '../../clients/kubernetes/resources.js';
import { firstLabel, nodeObjectNames, nodeObjectOf } from '../../model/node-names.js';
import { isNodeReady } from '../../observe/readiness.js';

export async function readNodeObject(kubernetes: KubernetesClient, node: string): Promise<Node | undefined> {
  const found: Node[] = [];
  for (const name of nodeObjectNames(node)) {
    const object = await kubernetes.get(NODES, name);
    if (object) found.push(object);
  }
  return pickNodeObject(node, found);
}

/** The object of a machine, whatever its name; an empty uuid is no identity. */
export async function nodeObjectOfMachine(
  kubernetes: KubernetesClient,
  uuid: string | undefined,
): Promise<Node | undefined> {
  if (uuid === undefined || uuid === '') return undefined;
  const found = (await kubernetes.list(NODES)).filter(
    ({ status }) => status?.nodeInfo?.systemUUID.toLowerCase() === uuid,
  );
  return found.find(isNodeReady) ?? found[0];
}

export function pickNodeObject(node: string, objects: readonly Node[]): Node | undefined {
  return nodeObjectOf(node, objects, { nameOf: nameOfObject, isReady: isNodeReady });
}

/** For pods and attachments, which name it. */
export function objectName(node: string, object: Node | undefined): string {
  return object ? nameOfObject(object) : firstLabel(node);
}

function nameOfObject({ metadata }: Node): string {
  return metadata?.name ?? '';
}
