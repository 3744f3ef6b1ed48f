import { at, numberOf, type Obj, objOf, textOf } from '../json.js';
import { apiVersionOf, type ResourceType } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import { selectorText } from '../selectors/object-selector.js';
import { ApiError, invalid, invalidValue } from '../status.js';
import { checkName } from './identity.js';
import type { KubeApi, Target } from './kube-api.js';
import type { WriteOptions } from './options.js';

/** The scale subresource: a workload's number of replicas as an object of its own. */
export function scaleOf(type: ResourceType, workload: KubeObject): Obj {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const paths = type.custom?.scale;
  const read = (path: readonly string[]) => numberOf(at(workload, ...path));
  const replicas = read(paths?.spec ?? ['spec', 'replicas']);
  const selector = paths ? textOf(at(workload, ...(paths.selector ?? ['']))) : ownSelector(type, workload);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: read(paths?.status ?? ['status', 'replicas']),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** The oldest of the kinds selects by labels alone. */
function ownSelector({ kind }: ResourceType, workload: KubeObject): string {
  const selector = objOf(at(workload, 'spec', 'selector'));
  return selectorText(kind === 'ReplicationController' ? { matchLabels: selector } : selector);
}

export function writeScale(api: KubeApi, target: Target, body: unknown, options: WriteOptions): Obj {
  const { type, name } = target;
  const old = api.get(target);
  checkName(objOf(at(body, 'metadata')), name, old.metadata.namespace);
  const replicas = numberOf(at(body, 'spec', 'replicas'));
  if (replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    throw invalid('autoscaling', 'Scale', name, [invalidValue('spec.replicas', replicas, detail)]);
  }
  const version = textOf(at(body, 'metadata', 'resourceVersion'));
  const metadata = { ...old.metadata, ...(version === '' ? {} : { resourceVersion: version }) };
  const wanted: KubeObject = { ...withReplicas(type, old, replicas), metadata };
  return scaleOf(type, api.replace(target, old, wanted, options));
}

function withReplicas<T extends Obj>(type: ResourceType, object: T, replicas: number): T {
  const write = (value: Obj, [step = '', ...rest]: readonly string[]): Obj => ({
    ...value,
    [step]: rest.length === 0 ? replicas : write(objOf(value[step]), rest),
  });
  return Object.assign({}, object, write(object, type.custom?.scale?.spec ?? ['spec', 'replicas']));
}

/** An apply of a scale owns the one field; a conflict names the version of the scale. */
export function applyScale(api: KubeApi, target: Target, body: Obj, options: WriteOptions): Obj {
  const { type, name } = target;
  api.get(target);
  checkName(objOf(body.metadata), name, target.namespace);
  const own = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name } };
  const configuration = withReplicas(type, own, numberOf(at(body, 'spec', 'replicas')));
  try {
    return scaleOf(type, api.apply(target, configuration, options).object);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error;
    const told = (text: string) => text.replaceAll(`using ${apiVersionOf(type)}`, 'using autoscaling/v1');
    const causes = error.details?.causes?.map((cause) => ({ ...cause, message: told(cause.message) }));
    throw new ApiError(409, error.reason, told(error.message), {
      ...error.details,
      ...(causes ? { causes } : {}),
    });
  }
}
