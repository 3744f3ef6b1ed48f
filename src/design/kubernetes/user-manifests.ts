/** Objects in manifests that the config names by file. */
import { parseAllDocuments } from 'yaml';
import type { FileText } from '../../config/config-values.js';
import { isMapping } from '../../formats/mapping.js';
import { OxherdError } from '../../model/error.js';
import type { KubeObject } from './managed-object.js';

/** In the order of the file; a `List` is its items. */
export function objectsInFile({ path, text }: FileText): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [problem] = document.errors;
    if (problem) {
      const line = problem.linePos?.[0].line;
      throw notAManifest(line === undefined ? path : `${path}:${line}`, problem.message.split('\n')[0] ?? '');
    }
    return itemsOf(document.toJS(), path);
  });
}

function itemsOf(value: unknown, path: string): KubeObject[] {
  if (value === null || value === undefined) return [];
  if (isMapping(value) && value.kind === 'List' && Array.isArray(value.items))
    return value.items.flatMap((item) => itemsOf(item, path));
  if (!isKubeObject(value)) throw notAManifest(path, 'an object has no apiVersion, kind or metadata.name');
  return [value];
}

function isKubeObject(value: unknown): value is KubeObject {
  return (
    isMapping(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isMapping(value.metadata) &&
    typeof value.metadata.name === 'string'
  );
}

function notAManifest(where: string, why: string): OxherdError {
  return new OxherdError('config.manifest', `this is no Kubernetes manifest: ${why}`, {
    where,
    advice: 'every document needs apiVersion, kind and metadata.name',
  });
}
