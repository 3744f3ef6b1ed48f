/** Machine-config patches as `talosctl machineconfig patch` applies them. */

import type { Node } from 'yaml';
import { applyJsonPatch, type JsonPatch, JsonPatchError, parseJsonPatch } from '../text/json-patch.js';
import { isMapping, type Mapping } from '../text/mapping.js';
import {
  decodeDocument,
  documentId,
  MAIN_KIND,
  parseTalosDocuments,
  splitDocuments,
  type TalosDocument,
  TalosDocumentError,
} from './talos-documents.js';
import { applyDeletion, type Deletion, takeDeletions } from './talos-patch-delete.js';
import { mergeValue } from './talos-patch-merge.js';
import { documentShape, type Shape, structOf } from './talos-shapes.js';

export type Patch =
  | { readonly kind: 'strategic'; readonly parts: readonly PatchPart[] }
  | { readonly kind: 'json'; readonly operations: JsonPatch };

type PatchPart =
  | { readonly kind: 'delete'; readonly deletion: Deletion }
  | { readonly kind: 'merge'; readonly document: TalosDocument };

/** Documents by what identifies them; the value alone is patched. */
export type PatchTarget = Pick<TalosDocument, 'apiVersion' | 'kind' | 'name' | 'value'>;

interface PatchWarning {
  /** `v1alpha1/VolumeConfig/EPHEMERAL` */
  readonly document: string;
  /** What the patch erased, `provisioning.diskSelector.match`. */
  readonly path: string;
}

export function parsePatch(text: string): Patch {
  let refusal: unknown;
  try {
    const parts = splitDocuments(text).flatMap(({ node, line, resolve }): PatchPart[] => {
      const { deletions, left } = deletionsOf(node, line);
      return [
        ...deletions.map((deletion): PatchPart => ({ kind: 'delete', deletion })),
        ...(left ? [{ kind: 'merge', document: decodeDocument(left, line, resolve) } as const] : []),
      ];
    });
    if (parts.length === 0) throw new TalosDocumentError('config not found');
    return { kind: 'strategic', parts: mainDeletionsFirst(parts) };
  } catch (error) {
    refusal = error;
  }
  const operations = parseJsonPatch(text);
  if (operations) return { kind: 'json', operations };
  throw refusal;
}

function deletionsOf(node: Node, line: number): ReturnType<typeof takeDeletions> {
  try {
    return takeDeletions(node);
  } catch (error) {
    if (!(error instanceof TalosDocumentError)) throw error;
    throw new TalosDocumentError(
      `error processing patch delete statements at line ${line}: ${error.message}`,
    );
  }
}

/** Wherever they stand: so does Container.Documents in Talos' config/container. */
function mainDeletionsFirst(parts: readonly PatchPart[]): PatchPart[] {
  const isFirst = (part: PatchPart): boolean => part.kind === 'delete' && part.deletion.kind === MAIN_KIND;
  return [...parts.filter(isFirst), ...parts.filter((part) => !isFirst(part))];
}

/** Applies a patch; warns of selectors and sizes that Talos erases because the patch does not repeat them. */
export function applyPatch(
  targets: readonly PatchTarget[],
  patch: Patch,
): { readonly documents: PatchTarget[]; readonly warnings: readonly PatchWarning[] } {
  if (patch.kind === 'json') return { documents: patchByJson(targets, patch.operations), warnings: [] };
  const documents = [...targets];
  const warnings: PatchWarning[] = [];
  for (const part of patch.parts) {
    const wanted = documentId(part.kind === 'delete' ? part.deletion : part.document);
    const at = documents.findIndex((document) => documentId(document) === wanted);
    const target = documents[at];
    if (part.kind === 'delete') {
      if (!target) continue;
      const value = applyDeletion(target.value, part.deletion);
      if (value) documents[at] = { ...target, value };
      else documents.splice(at, 1);
    } else if (target) {
      const value = mergeDocument(target, part.document.value);
      warnings.push(...erased(target, value).map((path) => ({ document: wanted, path })));
      documents[at] = { ...target, value };
    } else {
      const { apiVersion, kind, name, value } = part.document;
      documents.push({ apiVersion, kind, name, value });
    }
  }
  return { documents, warnings };
}

/** The whole way for text: what `talosctl machineconfig patch` prints, as documents. */
export function patchText(text: string, patches: readonly string[]): Mapping[] {
  let documents: readonly PatchTarget[] = parseTalosDocuments(text);
  for (const patch of patches.map(parsePatch)) documents = applyPatch(documents, patch).documents;
  return documents.map(({ value }) => value);
}

function mergeDocument(target: PatchTarget, patch: Mapping): Mapping {
  const shape = documentShape(target.kind);
  if (!shape) throw new TalosDocumentError(`${JSON.stringify(target.kind)}: not registered`);
  const value = mergeValue(target.value, patch, { shape, replace: false, alwaysWritten: false });
  return isMapping(value) ? value : {};
}

function patchByJson(targets: readonly PatchTarget[], operations: JsonPatch): PatchTarget[] {
  const [only, ...others] = targets;
  if (!only || others.length > 0) {
    throw new TalosDocumentError(
      'JSON6902 patches are not supported for multi-document machine configuration',
    );
  }
  try {
    const value = applyJsonPatch(only.value, operations);
    return [{ ...only, value: isMapping(value) ? value : {} }];
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw new TalosDocumentError(
      `failure applying rfc6902 patches to talos machine config: ${error.message}`,
    );
  }
}

/** Expressions and sizes that were there and are gone. */
function erased(before: PatchTarget, after: Mapping): string[] {
  const shape = documentShape(before.kind);
  return shape ? lost(before.value, after, shape, []) : [];
}

const PRECIOUS = new Set(['cel.Expression', 'block.ByteSize']);

function lost(before: unknown, after: unknown, shape: Shape, path: readonly string[]): string[] {
  if (before === undefined || before === null) return [];
  if (shape.kind === 'pointer') return lost(before, after, shape.to, path);
  if (shape.kind === 'opaque') return PRECIOUS.has(shape.name) && after === undefined ? [path.join('.')] : [];
  if (shape.kind !== 'struct' || !isMapping(before)) return [];
  return [...structOf(shape.name).fields].flatMap(([key, field]) =>
    lost(before[key], isMapping(after) ? after[key] : undefined, field.shape, [...path, key]),
  );
}

/** Adds what Talos writes although it is empty; for comparing with its output. */
export function withEmptyFields(value: Mapping, kind: string): Mapping {
  const shape = documentShape(kind);
  const filled = shape ? fill(value, shape) : value;
  return isMapping(filled) ? filled : value;
}

function fill(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null) return value;
  if (shape.kind === 'pointer') return fill(value, shape.to);
  if (shape.kind === 'list' && Array.isArray(value))
    return value.map((item: unknown) => fill(item, shape.item));
  if (!isMapping(value)) return value;
  if (shape.kind === 'map')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, shape.item)]));
  if (shape.kind !== 'struct') return value;
  const result: Mapping = { ...value };
  for (const [key, field] of structOf(shape.name).fields) {
    if (value[key] !== undefined) result[key] = fill(value[key], field.shape);
    else if (field.alwaysWritten) result[key] = emptyOf(field.shape);
  }
  return result;
}

function emptyOf(shape: Shape): unknown {
  if (shape.kind === 'list') return [];
  if (shape.kind === 'map' || shape.kind === 'struct') return {};
  if (shape.kind === 'scalar')
    return { bool: false, int: 0, uint: 0, float: 0, string: '', bytes: '', duration: '0s' }[shape.scalar];
  return shape.kind === 'opaque' ? '' : null;
}
