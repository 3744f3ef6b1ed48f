import { applyJsonPatch, JsonPatchError, jsonPatchFrom } from '../../../formats/text/json-patch.js';
import { decodePatched } from '../api/decode.js';
import type { KubeApi, Target } from '../api/kube-api.js';
import type { WriteOptions } from '../api/options.js';
import { isObj, type Obj } from '../json.js';
import type { KubeObject } from '../object.js';
import { mergePatch } from '../patch/merge-patch.js';
import { strategicMerge } from '../patch/strategic-merge.js';
import { ApiError, badRequest, unsupportedMediaType } from '../status.js';
import { duplicateFields } from './go-json.js';
import { notInto, parseYaml } from './read-body.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

export function patch(
  api: KubeApi,
  target: Target,
  mediaType: string,
  text: string,
  options: WriteOptions,
): { object: KubeObject; created: boolean } {
  checkMediaType(mediaType, target.type.custom !== undefined);
  if (mediaType === APPLY) return api.apply(target, parseYaml(text), options);
  const old = api.get(target);
  const change = readPatch(text, mediaType);
  const patched = patchedObject(old, change, mediaType, target);
  const duplicates = mediaType === JSON_PATCH ? [] : duplicateFields(text);
  const wanted = decodePatched(
    target.type,
    patched,
    change,
    { ...options, duplicates },
    mediaType !== STRATEGIC,
  );
  return { object: api.replace(target, old, wanted, options, true), created: false };
}

/** A patch of the right kind, or what the library for it says (`endpoints/handlers/patch.go`). */
export function readPatch(text: string, mediaType: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('invalid JSON patch');
  }
  if (mediaType === JSON_PATCH) {
    if (Array.isArray(value) || value === null) return value ?? [];
    throw badRequest(`error decoding patch: ${notInto(value, '[]handlers.jsonPatchOp')}`);
  }
  if (isObj(value)) return value;
  if (mediaType === STRATEGIC) {
    if (value === null) return {};
    throw badRequest(notInto(value, 'map[string]interface {}'));
  }
  if (value === null) throw badRequest('Invalid JSON Patch');
  throw badRequest(`error decoding patch: ${notInto(value, 'map[string]interface {}')}`);
}

export function checkMediaType(mediaType: string, custom: boolean): void {
  if ([JSON_PATCH, MERGE, APPLY].includes(mediaType)) return;
  if (mediaType === STRATEGIC) {
    if (custom) throw unsupportedMediaType([JSON_PATCH, MERGE, APPLY]);
    return;
  }
  throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

function patchedObject(old: KubeObject, change: unknown, mediaType: string, target: Target): Obj {
  if (mediaType === JSON_PATCH) return objectOf(jsonPatched(old, change));
  if (mediaType === MERGE) return objectOf(mergePatch(old, change));
  return objectOf(strategicMerge(old, change, target.type.schema));
}

/** A scale has no lists: a strategic patch is a merge patch. */
export function patchedScale(scale: Obj, change: unknown, mediaType: string): Obj {
  return objectOf(mediaType === JSON_PATCH ? jsonPatched(scale, change) : mergePatch(scale, change));
}

function jsonPatched(old: Obj, change: unknown): unknown {
  const operations = jsonPatchFrom(change);
  try {
    if (!operations) throw new JsonPatchError('not a list of operations');
    return applyJsonPatch(old, operations);
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  }
}

function objectOf(value: unknown): Obj {
  if (!isObj(value)) throw badRequest('the patch leaves no object');
  return value;
}
