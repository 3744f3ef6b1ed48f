import { isObj, listOf, type Obj, objOf, textOf } from '../json.js';

/** Defaults of a pod's spec, shared by pods and pod templates (`pkg/apis/core/v1/defaults.go`). */
export function defaultPodSpec(spec: Obj, pod = false): Obj {
  const out: Obj = {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
  };
  // Two names for one field.
  const account = textOf(spec.serviceAccountName) || textOf(spec.serviceAccount);
  if (account !== '') Object.assign(out, { serviceAccountName: account, serviceAccount: account });
  const hostNetwork = spec.hostNetwork === true;
  for (const field of ['containers', 'initContainers', 'ephemeralContainers']) {
    if (!Array.isArray(spec[field])) continue;
    out[field] = listOf(spec[field]).map((container) => defaultContainer(objOf(container), hostNetwork, pod));
  }
  if (Array.isArray(spec.volumes)) out.volumes = spec.volumes.map((volume) => defaultVolume(objOf(volume)));
  return out;
}

function defaultContainer(container: Obj, hostNetwork: boolean, pod: boolean): Obj {
  const out: Obj = {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(textOf(container.image)),
    ...container,
  };
  if (Array.isArray(container.ports)) {
    out.ports = container.ports.map((port) => {
      const given = objOf(port);
      const host = hostNetwork && given.hostPort === undefined ? { hostPort: given.containerPort } : {};
      return { protocol: 'TCP', ...host, ...given };
    });
  }
  if (Array.isArray(container.env)) out.env = container.env.map(defaultEnv);
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (isObj(container[probe])) out[probe] = defaultProbe(container[probe]);
  }
  if (isObj(container.lifecycle)) {
    const hooks = Object.entries(container.lifecycle).map(([name, hook]) => [
      name,
      isObj(hook) ? withHandler(hook) : hook,
    ]);
    out.lifecycle = Object.fromEntries(hooks);
  }
  const { requests, limits } = objOf(container.resources);
  // A template says what it was given; its pods ask for what they are limited to.
  if (pod && isObj(limits)) {
    out.resources = { ...objOf(container.resources), requests: { ...limits, ...objOf(requests) } };
  }
  return out;
}

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
/** Registry, path, tag and digest; only the registry may have capitals. */
const IMAGE = new RegExp(
  `^(?:(?=[^/]*[.:A-Z]|localhost/)[A-Za-z0-9.:-]+/)?${COMPONENT}(?:/${COMPONENT})*(?::\\w[\\w.-]{0,127})?(?:@\\w+:\\w+)?$`,
);

/** What is no name of an image has no tag either, and is not pulled each time. */
function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  const moving = !name.includes('@') && (!name.includes(':') || name.endsWith(':latest'));
  return moving && IMAGE.test(image) ? 'Always' : 'IfNotPresent';
}

function withVersion(source: Obj): Obj {
  return isObj(source.fieldRef) ? { ...source, fieldRef: { apiVersion: 'v1', ...source.fieldRef } } : source;
}

function defaultEnv(variable: unknown): unknown {
  const given = objOf(variable);
  return isObj(given.valueFrom) ? { ...given, valueFrom: withVersion(given.valueFrom) } : variable;
}

function defaultProbe(probe: Obj): Obj {
  return withHandler({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...probe,
  });
}

/** What a probe or a hook does. */
function withHandler(given: Obj): Obj {
  const out: Obj = { ...given };
  if (isObj(given.httpGet)) out.httpGet = { path: '/', scheme: 'HTTP', ...given.httpGet };
  if (isObj(given.grpc)) out.grpc = { service: '', ...given.grpc };
  return out;
}

function defaultVolume(volume: Obj): Obj {
  if (Object.keys(volume).every((key) => key === 'name')) return { ...volume, emptyDir: {} };
  const out: Obj = { ...volume };
  for (const field of ['configMap', 'secret', 'projected', 'downwardAPI']) {
    if (isObj(volume[field])) out[field] = { defaultMode: 0o644, ...withFiles(volume[field]) };
  }
  if (isObj(volume.hostPath)) out.hostPath = { type: '', ...volume.hostPath };
  if (isObj(volume.image)) {
    out.image = { pullPolicy: pullPolicy(textOf(volume.image.reference)), ...volume.image };
  }
  if (isObj(volume.iscsi)) out.iscsi = { iscsiInterface: 'default', ...volume.iscsi };
  if (isObj(volume.ephemeral) && isObj(volume.ephemeral.volumeClaimTemplate)) {
    const template = volume.ephemeral.volumeClaimTemplate;
    const spec = { volumeMode: 'Filesystem', ...objOf(template.spec) };
    out.ephemeral = { ...volume.ephemeral, volumeClaimTemplate: { ...template, spec } };
  }
  return out;
}

/** Files made of the pod's own fields, and tokens. */
function withFiles(source: Obj): Obj {
  const items = (part: Obj): Obj =>
    Array.isArray(part.items) ? { ...part, items: part.items.map((item) => withVersion(objOf(item))) } : part;
  const out = items(source);
  if (!Array.isArray(source.sources)) return out;
  const sources = source.sources.map((item) => {
    const part: Obj = { ...objOf(item) };
    if (isObj(part.downwardAPI)) part.downwardAPI = items(part.downwardAPI);
    if (isObj(part.serviceAccountToken)) {
      part.serviceAccountToken = { expirationSeconds: 3600, ...part.serviceAccountToken };
    }
    return part;
  });
  return { ...out, sources };
}
