/** A config in the shape of oxherd.yaml as a commented file: what each section is, and what keys were called. */

import { Document, isMap, isScalar, type Pair, YAMLMap, YAMLSeq } from 'yaml';
import { isMapping } from '../../formats/text/mapping.js';
import type { KeptComment } from '../foreign/renovate.js';
import { fileSchema } from '../schema/file.js';
import { knownKeys } from '../schema/known-keys.js';

interface Commented {
  readonly raw: Readonly<Record<string, unknown>>;
  /** First lines of the file. */
  readonly header: readonly string[];
  /** What a key was called where it came from, by its path here: `network.gateway` → `cluster.gateway`. */
  readonly wasCalled: ReadonlyMap<string, string>;
  /** Comments that stay with their value. */
  readonly comments?: ReadonlyMap<string, KeptComment>;
}

interface Notes {
  readonly wasCalled: ReadonlyMap<string, string>;
  readonly comments: ReadonlyMap<string, KeptComment>;
}

const LINE_WIDTH = 110;

export function writeCommentedYaml({ raw, header, wasCalled, comments = new Map() }: Commented): string {
  const notes: Notes = { wasCalled, comments };
  const known = Object.keys(fileSchema.shape).filter((section) => raw[section] !== undefined);
  const document = new Document(
    Object.fromEntries(known.map((section) => [section, inSchemaOrder(section, raw[section])])),
  );
  const root = document.contents;
  if (!isMap(root)) return '';
  for (const [index, pair] of root.items.entries()) {
    const section = keyOf(pair);
    if (isScalar(pair.key)) {
      pair.key.spaceBefore = index > 0;
      pair.key.commentBefore = ` ${describe(section)}`;
    }
    if (isMap(pair.value)) layOut(pair.value, [section], notes);
  }
  document.commentBefore = header.map((line) => ` ${line}`).join('\n');
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function inSchemaOrder(section: string, value: unknown): unknown {
  if (!isMapping(value)) return value;
  const order = knownKeys(fileSchema, [section]);
  if (order.length === 0) return value;
  const keys = Object.keys(value).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

function describe(section: string): string {
  const schema = Object.entries(fileSchema.shape).find(([name]) => name === section)?.[1];
  const description = schema?.meta()?.description;
  return typeof description === 'string' ? description : section;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** Entries that fit on a line stand on one; single values say where they come from. */
function layOut(map: YAMLMap, path: readonly string[], notes: Notes): void {
  for (const pair of map.items) {
    const here = [...path, keyOf(pair)];
    const { value } = pair;
    const kept = notes.comments.get(here.join('.'));
    if (value instanceof YAMLMap) {
      if (fitsOnLine(value, here) && !hasComment(here, notes)) value.flow = true;
      else layOut(value, here, notes);
    } else if (value instanceof YAMLSeq) {
      if (fitsOnLine(value, here)) value.flow = true;
    } else if (kept && isScalar(value)) {
      if (kept.place === 'behind') value.comment = ` ${kept.text}`;
      else if (isScalar(pair.key)) pair.key.commentBefore = ` ${kept.text}`;
    } else if (isScalar(value) && !isEntry(path) && !String(value.value).includes('\n')) {
      const from = notes.wasCalled.get(here.join('.'));
      if (from === '') value.comment = ' as it is there without being said';
      else if (from !== undefined && from !== here.join('.')) value.comment = ` from ${from}`;
    }
  }
}

function hasComment(path: readonly string[], { comments }: Notes): boolean {
  const inside = `${path.join('.')}.`;
  return [...comments.keys()].some((key) => key.startsWith(inside));
}

/** Nodes and volumes: their keys would be the same comment on each. */
function isEntry(path: readonly string[]): boolean {
  return path[0] === 'nodes' || path[0] === 'volumes';
}

function fitsOnLine(node: YAMLMap | YAMLSeq, path: readonly string[]): boolean {
  const text = JSON.stringify(node.toJSON());
  return !text.includes('\\n') && text.length + path.length * 2 + 8 < LINE_WIDTH;
}
