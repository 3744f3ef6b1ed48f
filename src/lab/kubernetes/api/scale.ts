import { at, isObj, numberOf, type Obj, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { mergePatch } from '../patch/merge-patch.js';
import { selectorText } from '../selectors/object-selector.js';
import { badRequest } from '../status.js';
import type { KubeApi, Target } from './kube-api.js';
import type { WriteOptions } from './options.js';

/** The scale subresource: a workload's number of replicas as an object of its own. */
export function scaleOf(workload: KubeObject): Obj {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: numberOf(at(workload, 'spec', 'replicas')) },
    status: {
      replicas: numberOf(at(workload, 'status', 'replicas')),
      selector: selectorText(objOf(at(workload, 'spec', 'selector'))),
    },
  };
}

export function writeScale(api: KubeApi, target: Target, body: unknown, options: WriteOptions): Obj {
  const replicas = at(body, 'spec', 'replicas');
  if (typeof replicas !== 'number') throw badRequest('spec.replicas of a Scale must be a number');
  const old = api.get(target);
  const version = textOf(at(body, 'metadata', 'resourceVersion'));
  const metadata = { ...old.metadata, ...(version === '' ? {} : { resourceVersion: version }) };
  const wanted: KubeObject = { ...old, metadata, spec: { ...objOf(old.spec), replicas } };
  return scaleOf(api.replace({ ...target, subresource: '' }, old, wanted, options));
}

export function patchScale(api: KubeApi, target: Target, patch: unknown, options: WriteOptions): Obj {
  if (!isObj(patch)) throw badRequest('the patch is not an object');
  return writeScale(api, target, mergePatch(scaleOf(api.get(target)), patch), options);
}
