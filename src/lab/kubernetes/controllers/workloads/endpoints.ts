import { at, listOf, numberOf, type Obj, objOf, sameJson, stringsOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { isOver, isReady } from '../pods/pods.js';
import { type Controller, ownerReference, type World } from '../world.js';

const SLICES = 'endpointslices.discovery.k8s.io';
const SERVICE = 'kubernetes.io/service-name';
const MANAGED = 'endpointslice.kubernetes.io/managed-by';
const MANAGER = 'endpointslice-controller.k8s.io';

/** Endpoints and endpoint slices of services that select pods. */
export const endpointController: Controller = {
  reconcile(world) {
    for (const service of world.list('services')) {
      const wanted = Object.entries(stringsOf(at(service, 'spec', 'selector')));
      if (wanted.length === 0 || service.metadata.deletionTimestamp !== undefined) continue;
      const pods = world
        .list('pods', service.metadata.namespace)
        .filter(({ metadata: { labels } }) => wanted.every(([key, value]) => labels?.[key] === value))
        .filter((pod) => !isOver(pod) && addressOf(pod) !== '')
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      writeEndpoints(world, service, pods);
      writeSlice(world, service, pods);
    }
    for (const endpoints of world.list('endpoints')) {
      const { name, namespace, labels } = endpoints.metadata;
      const own = labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller';
      if (own && !world.find('services', namespace, name)) world.remove('endpoints', endpoints);
    }
    return undefined;
  },
};

const addressOf = (pod: KubeObject) => textOf(at(pod, 'status', 'podIP'));
const isLeaving = (pod: KubeObject) => pod.metadata.deletionTimestamp !== undefined;
const targetOf = ({ metadata: { name, namespace, uid } }: KubeObject): Obj => ({
  kind: 'Pod',
  namespace,
  name,
  uid,
});

/** The ports of a service as its pods have them; a name is looked up in the first pod's containers. */
function portsOf(service: KubeObject, pods: readonly KubeObject[]): Obj[] {
  return listOf(at(service, 'spec', 'ports'))
    .map(objOf)
    .flatMap((port) => {
      const target = port.targetPort ?? port.port;
      const number = typeof target === 'number' ? target : namedPort(pods, textOf(target));
      if (number === undefined) return [];
      const protocol = textOf(port.protocol) || 'TCP';
      return [{ ...(textOf(port.name) === '' ? {} : { name: port.name }), port: number, protocol }];
    });
}

function namedPort(pods: readonly KubeObject[], name: string): number | undefined {
  for (const pod of pods) {
    const ports = listOf(at(pod, 'spec', 'containers')).flatMap((container) =>
      listOf(objOf(container).ports),
    );
    const found = ports.map(objOf).find((port) => port.name === name);
    if (found) return numberOf(found.containerPort);
  }
  return undefined;
}

const unannounced = (service: KubeObject) => at(service, 'spec', 'publishNotReadyAddresses') === true;

function writeEndpoints(world: World, service: KubeObject, pods: readonly KubeObject[]): void {
  const { name, namespace, labels } = service.metadata;
  const ports = portsOf(service, pods);
  const address = (pod: KubeObject) => ({
    ip: addressOf(pod),
    nodeName: at(pod, 'spec', 'nodeName'),
    targetRef: targetOf(pod),
  });
  const staying = pods.filter((pod) => !isLeaving(pod));
  const ready = staying.filter((pod) => isReady(pod) || unannounced(service)).map(address);
  const waiting = staying.filter((pod) => !isReady(pod) && !unannounced(service)).map(address);
  const subset = {
    ...(ready.length > 0 ? { addresses: ready } : {}),
    ...(waiting.length > 0 ? { notReadyAddresses: waiting } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
  const subsets = staying.length > 0 ? { subsets: [subset] } : {};
  const headless =
    at(service, 'spec', 'clusterIP') === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
  const marked = { ...labels, 'endpoints.kubernetes.io/managed-by': 'endpoint-controller', ...headless };
  const old = world.find('endpoints', namespace, name);
  if (!old) {
    world.create('endpoints', namespace, { metadata: { name, labels: marked }, ...subsets });
    return;
  }
  const { subsets: before, ...rest } = old;
  if (sameJson(before, subsets.subsets) && sameJson(old.metadata.labels, marked)) return;
  world.update('endpoints', { ...rest, metadata: { ...old.metadata, labels: marked }, ...subsets });
}

function writeSlice(world: World, service: KubeObject, pods: readonly KubeObject[]): void {
  const { name, namespace, labels } = service.metadata;
  const endpoints = pods.map((pod) => ({
    addresses: [addressOf(pod)],
    conditions: {
      ready: (isReady(pod) && !isLeaving(pod)) || unannounced(service),
      serving: isReady(pod) || unannounced(service),
      terminating: isLeaving(pod),
    },
    nodeName: at(pod, 'spec', 'nodeName'),
    targetRef: targetOf(pod),
  }));
  const ports = portsOf(service, pods).map((port) => ({ name: '', ...port }));
  const headless =
    at(service, 'spec', 'clusterIP') === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
  const marked = { ...labels, [MANAGED]: MANAGER, [SERVICE]: name, ...headless };
  const own = world.controlled(SLICES, service).find((slice) => slice.metadata.labels?.[MANAGED] === MANAGER);
  if (!own) {
    world.create(SLICES, namespace, {
      metadata: { generateName: `${name}-`, labels: marked, ownerReferences: [ownerReference(service)] },
      addressType: 'IPv4',
      endpoints,
      ports,
    });
    return;
  }
  const same =
    sameJson(listOf(own.endpoints), endpoints) &&
    sameJson(listOf(own.ports), ports) &&
    sameJson(own.metadata.labels, marked);
  if (!same)
    world.update(SLICES, { ...own, metadata: { ...own.metadata, labels: marked }, endpoints, ports });
}
