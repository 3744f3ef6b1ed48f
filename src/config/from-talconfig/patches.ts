/** Patches of talhelper and topf as patches of oxherd.yaml: a path, a mapping, or text of several lines. */

import { type JsonPatch, parseJsonPatch } from '../../formats/text/json-patch.js';
import { isMapping } from '../../formats/text/mapping.js';
import { readYamlDocuments } from '../../formats/text/yaml-text.js';
import type { Report } from '../report.js';
import type { ReadText } from '../resolve/context.js';
import type { Path } from '../yaml/position.js';
import type { Variables } from './variables.js';

export type Patch = string | Readonly<Record<string, unknown>>;

export interface PatchInput {
  readonly report: Report;
  readonly readText: ReadText;
  readonly variables: Variables;
}

/** `value`: an entry of a `patches` list; `@./file.yaml` names a file. */
export function readPatch(value: unknown, path: Path, input: PatchInput): readonly Patch[] {
  if (isMapping(value)) return Object.keys(value).length === 0 ? [] : [value];
  if (typeof value !== 'string') {
    input.report.error({
      code: 'config.type',
      path,
      message: 'a patch is YAML text, or `@` and the path of a file',
    });
    return [];
  }
  const file = /^@(?:\.\/)?(\S+)$/.exec(value.trim())?.[1];
  if (file === undefined) return textPatch(value, path, input);
  return filePatch(file, path, input);
}

/** A file stays a file, unless what stands in it must be put together first. */
export function filePatch(file: string, path: Path, input: PatchInput): readonly Patch[] {
  const text = input.readText(file);
  if (text === undefined) {
    input.report.error({
      code: 'config.file-missing',
      path,
      message: `there is no readable file \`${file}\``,
      hint: 'paths are relative to the folder of the config',
    });
    return [];
  }
  if (isEmpty(text)) return [];
  const { text: whole, missing } = input.variables.in(text);
  const isPlain = whole === text && missing.length === 0 && parseJsonPatch(text) === undefined;
  return isPlain ? [file] : textPatch(text, path, input);
}

function textPatch(text: string, path: Path, input: PatchInput): readonly Patch[] {
  const { text: whole, missing } = input.variables.in(text);
  for (const { name } of missing) sayMissing(name, path, input);
  if (missing.length > 0 || isEmpty(whole)) return [];
  const operations = parseJsonPatch(whole);
  if (operations !== undefined) return strategic(operations, path, input.report);
  const documents = documentsOf(whole);
  if (documents?.length === 1 && isMapping(documents[0])) return [documents[0]];
  return [whole.endsWith('\n') ? whole : `${whole}\n`];
}

export function sayMissing(
  name: string,
  path: Path,
  { report, variables }: Pick<PatchInput, 'report' | 'variables'>,
): void {
  report.error({
    code: 'talconfig.variable',
    path,
    message: `nothing sets \`\${${name}}\``,
    hint:
      variables.encrypted === undefined
        ? `write it into talenv.yaml: \`${name}: …\``
        : `${variables.encrypted} is encrypted: decrypt it to talenv.yaml for the conversion, or write the value here; secrets belong into neither`,
  });
}

/** Comments and empty values alone: topf skips such files. */
function isEmpty(text: string): boolean {
  const documents = documentsOf(text);
  return (
    documents?.every(
      (value) => value === null || (typeof value === 'object' && Object.keys(value).length === 0),
    ) ?? false
  );
}

function documentsOf(text: string): readonly unknown[] | undefined {
  try {
    return readYamlDocuments(text);
  } catch {
    // Said where the patch is read as part of oxherd.yaml, with its place.
    return undefined;
  }
}

/** Talos 1.12 has deprecated JSON patches: what adds or replaces keys is the same as a strategic patch. */
function strategic(operations: JsonPatch, path: Path, report: Report): readonly Patch[] {
  const patches: Patch[] = [];
  for (const { op, path: pointer, value } of operations) {
    const keys = pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.at(-1);
    const inLists = keys.slice(0, -1).some((key) => /^\d+$|^-$/.test(key)) || /^\d+$/.test(last ?? '');
    if (keys.length === 0 || inLists || (op !== 'add' && op !== 'replace' && op !== 'remove')) {
      report.error({
        code: 'talconfig.json-patch',
        path,
        message: `the JSON patch \`${op} ${pointer}\` has no form as a strategic patch`,
        hint: 'write the part of the machine config that changes; Talos has deprecated JSON patches in v1.12',
      });
      continue;
    }
    const leaf: unknown = op === 'remove' ? { $patch: 'delete' } : last === '-' ? [value] : value;
    const inner = last === '-' ? keys.slice(0, -1) : keys;
    const patch = inner.reduceRight<unknown>((content, key) => ({ [key]: content }), leaf);
    if (isMapping(patch)) patches.push(patch);
  }
  return patches;
}
