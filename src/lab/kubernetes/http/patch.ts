import { decodePatched } from '../api/decode.js';
import type { KubeApi, Target } from '../api/kube-api.js';
import type { WriteOptions } from '../api/options.js';
import { isObj, type Obj } from '../json.js';
import type { KubeObject } from '../object.js';
import { JsonPatchError, jsonPatch } from '../patch/json-patch.js';
import { mergePatch } from '../patch/merge-patch.js';
import { strategicMerge } from '../patch/strategic-merge.js';
import { ApiError, badRequest, invalid, requiredValue, unsupportedMediaType } from '../status.js';
import { parseJson, parseYaml } from './read-body.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

export function patch(
  api: KubeApi,
  target: Target,
  mediaType: string,
  text: string,
  query: URLSearchParams,
  options: WriteOptions,
): { object: KubeObject; created: boolean } {
  checkMediaType(mediaType, target.type.custom !== undefined);
  if (mediaType === APPLY) {
    if (!query.get('fieldManager')) {
      throw invalid('meta.k8s.io', 'PatchOptions', '', [
        requiredValue('fieldManager', 'is required for apply patch'),
      ]);
    }
    return api.apply(target, parseYaml(text), options);
  }
  const old = api.get(target);
  const change = parseJson(text, target.type.kind);
  const patched = patchedObject(old, change, mediaType, target);
  const wanted = decodePatched(target.type, patched, change, options, mediaType !== STRATEGIC);
  return { object: api.replace(target, old, wanted, options, true), created: false };
}

function checkMediaType(mediaType: string, custom: boolean): void {
  if ([JSON_PATCH, MERGE, APPLY].includes(mediaType)) return;
  if (mediaType === STRATEGIC) {
    if (custom) throw unsupportedMediaType([JSON_PATCH, MERGE, APPLY]);
    return;
  }
  throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

function patchedObject(old: KubeObject, change: unknown, mediaType: string, target: Target): Obj {
  if (mediaType === JSON_PATCH) return objectOf(jsonPatched(old, change));
  if (!isObj(change)) throw badRequest('the patch is not an object');
  if (mediaType === MERGE) return objectOf(mergePatch(old, change));
  return objectOf(strategicMerge(old, change, target.type.schema));
}

function jsonPatched(old: KubeObject, change: unknown): unknown {
  try {
    return jsonPatch(old, change);
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  }
}

function objectOf(value: unknown): Obj {
  if (!isObj(value)) throw badRequest('the patch leaves no object');
  return value;
}
