/**
 * Patches that select disks by size, place or path, as a cluster has them that something else made. Once every disk has
 * its WWN they can go, and oxherd's own selectors hold.
 */
import { stringify } from 'yaml';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { readYamlDocuments, YamlTextError } from '../../formats/text/yaml-text.js';
import type { Path } from '../yaml/position.js';
import { changeTexts } from './edit.js';

/** The file without them, and the patches that were changed. */
export function withoutDiskSelectors(text: string): {
  readonly text: string;
  readonly changed: readonly Path[];
} {
  return changeTexts(text, patchLists(text), patchWithoutSelectors);
}

/** Whether a patch selects disks. */
export function selectsDisks(patch: string): boolean {
  return patchWithoutSelectors(patch) !== patch;
}

function patchLists(text: string): Path[] {
  const [file] = readYamlDocuments(text);
  const nodes = isMapping(file) && isMapping(file.nodes) ? Object.keys(file.nodes) : [];
  return [
    ...['all', 'controlplane', 'worker'].map((role) => ['talos', 'patches', role]),
    ...nodes.map((name) => ['nodes', name, 'patches']),
  ];
}

function patchWithoutSelectors(patch: string): string {
  const documents = documentsIn(patch);
  const kept = documents.map(withoutSelectors);
  if (documents.every((document, i) => document === kept[i])) return patch;
  const left = kept.filter((document) => document !== undefined);
  if (left.length === 0) return '';
  const comment = /^(?:#.*\n)*/.exec(patch)?.[0] ?? '';
  return comment + left.map((each) => stringify(each, { compat: 'yaml-1.1', lineWidth: 0 })).join('---\n');
}

/** A patch that is a file's name, or no YAML, selects nothing. */
function documentsIn(patch: string): Mapping[] {
  try {
    const documents = readYamlDocuments(patch);
    return documents.every(isMapping) ? documents : [];
  } catch (error) {
    if (error instanceof YamlTextError) return [];
    throw error;
  }
}

const INSTALL = [
  ['machine', 'install', 'diskSelector'],
  ['machine', 'install', 'disk'],
];

/** `undefined`: it said nothing else. */
function withoutSelectors(document: Mapping): Mapping | undefined {
  const { kind, name } = document;
  if (kind === undefined) {
    const left = INSTALL.reduce<Mapping>((at, path) => without(at, path), document);
    return Object.keys(left).length === 0 ? undefined : left;
  }
  const isVolume = kind === 'UserVolumeConfig' || (kind === 'VolumeConfig' && name === 'EPHEMERAL');
  const left = isVolume ? without(document, ['provisioning', 'diskSelector']) : document;
  if (left === document) return document;
  const { apiVersion: _, kind: __, name: ___, ...rest } = left;
  // A patch of such a document that names no selector erases the one that is there: the document goes whole, or stays.
  return onlyRemoves(rest) ? undefined : document;
}

function onlyRemoves(patch: Mapping): boolean {
  return Object.entries(patch).every(
    ([key, value]) => key === '$patch' || (isMapping(value) && onlyRemoves(value)),
  );
}

/** The same object where the path is not in it; mappings that become empty go with it. */
function without(from: Mapping, [key = '', ...rest]: readonly string[]): Mapping {
  if (!Object.hasOwn(from, key)) return from;
  const { [key]: inner, ...others } = from;
  if (rest.length === 0) return others;
  if (!isMapping(inner)) return from;
  const after = without(inner, rest);
  if (after === inner) return from;
  return Object.keys(after).length === 0 ? others : { ...from, [key]: after };
}
