/** Variable files to one document: the last file that sets a variable wins, as in Terraform. */
import type { Diagnostic } from '../diagnostics.js';
import type { ForeignDocument, NamedText, ReadDocument } from '../foreign/document.js';
import { encryptedText } from '../foreign/encrypted.js';
import { TextPlaces } from '../foreign/text-places.js';
import { Report } from '../report.js';
import type { Path, Position } from '../yaml/position.js';
import { MAX_TEXT_LENGTH } from '../yaml/yaml-source.js';
import { evaluate, type Located, type LocatedVariables } from './evaluate.js';
import { MAX_VALUES } from './hcl-expressions.js';
import { parseHcl, parseJsonVariables } from './hcl-parser.js';
import type { HclFile, HclProblem } from './hcl-syntax.js';

export function readVariables(files: readonly NamedText[]): ReadDocument {
  const places = new Map(files.map(({ path, text }) => [path, new TextPlaces(path, text)]));
  const encrypted = files.flatMap(({ path, text }) => {
    const problem = encryptedText(path, text);
    return problem ? [{ path, ...problem }] : [];
  });
  if (encrypted.length > 0) return { diagnostics: diagnose(encrypted, places) };
  const parsed = files.map(({ path, text }) => ({ path, parsed: parseVariables(path, text) }));
  const { variables, problems: found } = evaluate(parsed);
  const problems = [
    ...parsed.flatMap(({ path, parsed: file }) => file.problems.map((problem) => ({ path, ...problem }))),
    ...found,
  ];
  const [first] = files;
  if (problems.length === 0 && first && !isWithin(variables, MAX_VALUES)) {
    const message = `the variables have more than ${MAX_VALUES.toLocaleString('en')} values through their locals`;
    problems.push({ path: first.path, code: 'hcl.too-large', message, offset: 0 });
  }
  if (problems.length > 0) return { diagnostics: diagnose(problems, places) };
  return { document: documentOf(variables, places), diagnostics: [] };
}

function parseVariables(path: string, text: string): HclFile {
  if (text.length > MAX_TEXT_LENGTH) {
    const message = `the file has ${(text.length / 1e6).toFixed(1)} MB; a config has at most 2 MB`;
    return { attributes: [], locals: [], problems: [{ code: 'hcl.too-large', message, offset: 0 }] };
  }
  return path.endsWith('.json') ? parseJsonVariables(text) : parseHcl(text);
}

/** Counted before anything is made of them: lists of lists of one local grow without end. */
function isWithin(variables: LocatedVariables, most: number): boolean {
  let values = 0;
  const waiting: Located[] = [...variables.values()].map(({ value }) => value);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (++values > most) return false;
    const { value } = next;
    if (value instanceof Map)
      for (const entry of (value as LocatedVariables).values()) waiting.push(entry.value);
    else if (Array.isArray(value)) for (const item of value) waiting.push(item);
    if (waiting.length > most) return false;
  }
  return true;
}

function documentOf(variables: LocatedVariables, places: ReadonlyMap<string, TextPlaces>): ForeignDocument {
  const placeOf = (file: string, offset: number): Position =>
    places.get(file)?.at(offset) ?? { file, line: 1, column: 1 };
  const firstFile = [...places.keys()][0] ?? '';
  return {
    raw: Object.fromEntries([...variables].map(([name, { value }]) => [name, plain(value)])),
    positionOf: (path, part = 'value') => {
      const { entry, whole } = entryAt(variables, path);
      if (!entry) return placeOf(firstFile, 0);
      return part === 'key' && whole
        ? placeOf(entry.keyFile, entry.keyStart)
        : placeOf(entry.value.file, entry.value.start);
    },
    frameOf: (position) => places.get(position.file)?.frame(position) ?? '',
    commentOf: (path) => {
      const { entry, whole } = entryAt(variables, path);
      if (!entry || !whole || typeof entry.value.value === 'object') return undefined;
      const { file, start } = entry.value.origin ?? entry.value;
      return places.get(entry.value.file)?.commentAt(entry.value.start) ?? places.get(file)?.commentAt(start);
    },
  };
}

interface Entry {
  readonly keyFile: string;
  readonly keyStart: number;
  readonly value: Located;
}

/** The value at a path, or the nearest one around it. */
function entryAt(
  variables: LocatedVariables,
  path: Path,
): { readonly entry?: Entry; readonly whole: boolean } {
  let found: Entry | undefined;
  let entries: LocatedVariables | undefined = variables;
  let items: readonly Located[] | undefined;
  for (const step of path) {
    const entry: Entry | undefined =
      typeof step === 'number' ? listEntry(items?.[step]) : entries?.get(String(step));
    if (!entry) return { ...(found && { entry: found }), whole: false };
    found = entry;
    const value: Located['value'] = entry.value.value;
    entries = value instanceof Map ? value : undefined;
    items = Array.isArray(value) ? value : undefined;
  }
  return { ...(found && { entry: found }), whole: true };
}

function listEntry(value: Located | undefined) {
  return value && { keyFile: value.file, keyStart: value.start, value };
}

function plain({ value }: Located): unknown {
  if (Array.isArray(value)) return value.map((item: Located) => plain(item));
  if (value instanceof Map) {
    const entries = [...(value as LocatedVariables)].map(
      ([key, entry]) => [key, plain(entry.value)] as const,
    );
    return Object.fromEntries(entries);
  }
  return value;
}

function diagnose(
  problems: readonly (HclProblem & { readonly path: string })[],
  places: ReadonlyMap<string, TextPlaces>,
): Diagnostic[] {
  let current: Position = { file: '', line: 1, column: 1 };
  const report = new Report(
    (_: Path) => current,
    (position) => places.get(position.file)?.frame(position) ?? '',
  );
  for (const { path, offset, ...problem } of problems) {
    current = places.get(path)?.at(offset) ?? { file: path, line: 1, column: 1 };
    report.error({ ...problem, path: [] });
  }
  return report.list();
}
