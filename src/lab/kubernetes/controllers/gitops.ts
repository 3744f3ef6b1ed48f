import { at, listOf, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { isAvailable } from './pods/pods.js';
import { type Controller, type World, withCondition } from './world.js';

const SOURCES = 'gitrepositories.source.toolkit.fluxcd.io';
const SYNCS = 'kustomizations.kustomize.toolkit.fluxcd.io';
const APPLICATIONS = 'applications.argoproj.io';
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Controllers of Flux and Argo CD, as far as they tell how it goes. Every repository is there and empty but those of
 * hosts under `.invalid`; one by ssh needs its key, and for Flux the server's host keys.
 */
export const gitopsController: Controller = {
  reconcile(world) {
    if (world.find(DEFINITIONS, undefined, SOURCES)) {
      for (const source of runsIn(world, 'source-controller', SOURCES)) fetchSource(world, source);
      for (const sync of runsIn(world, 'kustomize-controller', SYNCS)) applySync(world, sync);
    }
    if (world.find(DEFINITIONS, undefined, APPLICATIONS))
      for (const app of runsIn(world, 'argocd-application-controller', APPLICATIONS))
        syncApplication(world, app);
    return undefined;
  },
};

/** Objects of namespaces in which a pod of the controller runs. */
function runsIn(world: World, controller: string, resource: string): KubeObject[] {
  return world
    .list(resource)
    .filter(({ metadata: { namespace } }) =>
      world
        .list('pods', namespace)
        .some((pod) => pod.metadata.name.startsWith(`${controller}-`) && isAvailable(pod, 0, world.now)),
    );
}

const REVISION = 'sha1:6d1ad3a2c3f5f1e0b7a94d9f2a55c0de7e1f0ab4';

function fetchSource(world: World, source: KubeObject): void {
  const spec = objOf(source.spec);
  const url = textOf(spec.url);
  const secret = textOf(at(spec, 'secretRef', 'name'));
  const why = whyNot(url) ?? loginProblem(world, source, url, secret);
  const revision = `${textOf(at(spec, 'ref', 'branch'))}@${REVISION}`;
  say(world, SOURCES, source, why ?? `stored artifact for revision '${revision}'`, why === undefined, {
    ...(why === undefined && { artifact: { revision } }),
  });
}

function whyNot(url: string): string | undefined {
  const host = /^[a-z]+:\/\/(?:[^@/]*@)?([^/:]+)/.exec(url)?.[1] ?? '';
  return host.endsWith('.invalid')
    ? `failed to checkout and determine revision: lookup ${host}: no such host`
    : undefined;
}

function loginProblem(world: World, source: KubeObject, url: string, name: string): string | undefined {
  const { namespace } = source.metadata;
  const secret = name === '' ? undefined : world.find('secrets', namespace, name);
  if (name !== '' && !secret)
    return `failed to get secret '${namespace}/${name}': secrets "${name}" not found`;
  const has = (key: string) => textOf(at(secret, 'data', key)) !== '';
  if (url.startsWith('ssh:') && !(has('identity') && has('known_hosts')))
    return "failed to configure authentication options: 'identity' and 'known_hosts' are required";
  return undefined;
}

function applySync(world: World, sync: KubeObject): void {
  const name = textOf(at(sync, 'spec', 'sourceRef', 'name'));
  const source = world.find(SOURCES, sync.metadata.namespace, name);
  const revision = textOf(at(source, 'status', 'artifact', 'revision'));
  const ok = revision !== '';
  const message = ok ? `Applied revision: ${revision}` : 'Source artifact not found, retrying in 30s';
  say(world, SYNCS, sync, message, ok, { ...(ok && { lastAppliedRevision: revision }) });
}

function say(
  world: World,
  resource: string,
  object: KubeObject,
  message: string,
  ok: boolean,
  more: object,
): void {
  const condition = {
    type: 'Ready',
    status: ok ? 'True' : 'False',
    reason: ok ? 'Succeeded' : 'Failed',
    message,
  };
  const conditions = withCondition(listOf(at(object, 'status', 'conditions')), condition, world.time);
  const { generation = 1 } = object.metadata;
  world.setStatus(resource, object, { ...more, conditions, observedGeneration: generation }, 'flux');
}

function syncApplication(world: World, app: KubeObject): void {
  const url = textOf(at(app, 'spec', 'source', 'repoURL'));
  const secrets = world.list('secrets', app.metadata.namespace);
  const login = secrets.some(
    ({ metadata, data }) =>
      metadata.labels?.['argocd.argoproj.io/secret-type'] === 'repository' &&
      Buffer.from(textOf(objOf(data).url), 'base64').toString() === url,
  );
  const why = whyNot(url) ?? (url.startsWith('ssh:') && !login ? 'authentication required' : undefined);
  const state = why === undefined ? 'Synced' : 'Unknown';
  // Argo CD's kinds have no status apart from the rest.
  const status = {
    sync: { status: state, ...(why === undefined && { revision: REVISION.slice(5) }) },
    health: { status: why === undefined ? 'Healthy' : 'Unknown' },
    ...(why !== undefined && { conditions: [{ type: 'ComparisonError', message: why }] }),
  };
  world.update(APPLICATIONS, { ...app, status }, 'argocd-application-controller');
}
