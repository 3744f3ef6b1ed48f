import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  parseAllDocuments,
  stringify,
  type YAMLMap,
} from 'yaml';
import type { ConfigDocument } from '../config-document.js';
import { record } from '../config-document.js';
import { ConfigError } from './config-error.js';
import { Decoder, keyOf } from './decode.js';
import { KIND_TYPES } from './gen/shapes.js';
import { V1ALPHA1 } from './v1alpha1-shape.js';

export interface LoadedConfig {
  readonly documents: readonly ConfigDocument[];
}

/** Kinds whose documents are alone of their kind; their errors carry no name. */
const OLD_KEYS = ['machine', 'cluster', 'debug', 'persist'];

/** Reads a config as Talos' loader does (configloader/internal/decoder), or throws its complaint. */
export function loadConfig(text: string): LoadedConfig {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false });
  const documents: ConfigDocument[] = [];
  const known = new Set<string>();
  for (const document of parsed) {
    const broken = document.errors[0];
    if (broken) throw new ConfigError(`decode error: ${yamlProblem(broken, text)}`);
    const root = document.contents;
    if (root === null || (isScalar(root) && root.value === null)) continue;
    const decoder = new Decoder(lines);
    const line = decoder.lineOf(root);
    if (!isMap(root)) throw new ConfigError(`expected a YAML document at line ${line}`);
    documents.push(decode(document, root, decoder, line, known));
  }
  if (documents.length === 0) throw new ConfigError('config not found');
  return { documents };
}

function decode(
  document: Document,
  root: YAMLMap,
  decoder: Decoder,
  line: number,
  known: Set<string>,
): ConfigDocument {
  const apiVersion = textOf(root, 'apiVersion');
  const kind = textOf(root, 'kind');
  const name = textOf(root, 'name');
  const id = `${apiVersion}/${kind || 'v1alpha1'}/${name}`;
  if (known.has(id)) throw new ConfigError(`duplicate document ${id} is not allowed (line ${line})`);
  known.add(id);

  const refuse = (problem: string): never => {
    throw new ConfigError(`error decoding document ${id} (line ${line}): ${problem}`);
  };
  const old = root.items.some((pair) => OLD_KEYS.includes(keyOf(pair)));
  const version = old ? 'v1alpha1' : apiVersion;
  if (kind === '' && version !== 'v1alpha1') refuse('missing kind');
  if (kind !== '' && version === '') refuse('missing apiVersion');
  const type = kind === '' ? 'v1alpha1.Config' : KIND_TYPES[kind];
  if (type === undefined || (kind !== '' && apiVersion !== 'v1alpha1')) {
    refuse(`${JSON.stringify(kind)} ${JSON.stringify(version)}: not registered`);
  }

  const unknown = decoder.read(root, kind === '' ? V1ALPHA1 : { ref: type ?? '' });
  if (decoder.problems.length > 0) {
    refuse(`error decoding ${kind} to *${type}: yaml: construct errors: ${decoder.problems.join('\n  ')}`);
  }
  if (unknown !== undefined) refuse(`unknown keys found during decoding:\n${goYaml(unknown)}`);
  return { kind: kind || 'v1alpha1', name, body: record(document.toJS()) };
}

function textOf(map: YAMLMap, key: string): string {
  const value = map.get(key);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Keys in order, four columns: as Go prints what it could not place. */
function goYaml(value: unknown): string {
  return stringify(value, { indent: 4, lineWidth: 0, sortMapEntries: true });
}

/** The words of Go's YAML reader, where ours says the same thing. */
function yamlProblem(error: { code: string; message: string; pos: [number, number] }, text: string): string {
  const place = (offset: number) => {
    const before = text.slice(0, offset).split('\n');
    return `L${before.length}.C${(before.at(-1)?.length ?? 0) + 1}`;
  };
  const flow =
    /^Flow (map|sequence) in block collection|^Expected flow (map|sequence) to end|must (?:be|end)/.exec(
      error.message,
    );
  const open = Math.max(text.indexOf('{'), text.indexOf('['));
  if (flow && open >= 0) {
    const map = text[open] === '{';
    const what = map ? 'a flow mapping' : 'a flow sequence';
    const end = `${place(open)}-${place(text.length)}`;
    return `go-yaml load error in parser (while parsing ${what}) at ${end}: did not find expected ',' or '${map ? '}' : ']'}'`;
  }
  return `go-yaml load error in parser at ${place(error.pos[0])}: ${error.message.split('\n')[0] ?? ''}`;
}
