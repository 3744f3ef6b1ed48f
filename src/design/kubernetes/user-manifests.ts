/** Objects in manifests that the config names by file. */
import type { FileText } from '../../config/config-values.js';
import { isMapping } from '../../formats/text/mapping.js';
import { readYamlDocuments, YamlTextError } from '../../formats/text/yaml-text.js';
import { OxherdError } from '../../model/error.js';
import type { KubeObject } from './managed-object.js';

/** In the order of oxherd.yaml; a `List` is its items. */
export function objectsInFile({ path, text }: FileText): KubeObject[] {
  return documentsIn(text, path).flatMap((value) => itemsOf(value, path));
}

function documentsIn(text: string, path: string): unknown[] {
  try {
    return readYamlDocuments(text);
  } catch (error) {
    if (error instanceof YamlTextError) throw notAManifest(`${path}:${error.line}`, error.detail);
    throw error;
  }
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
