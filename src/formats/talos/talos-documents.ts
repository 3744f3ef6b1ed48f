/** Machine configs as Talos reads them: several YAML documents, each of a kind, every key and type checked. */

import { isAlias, isMap, isScalar, type Node, stringify, type YAMLParseError } from 'yaml';
import { OxherdError } from '../../model/error.js';
import { isMapping, type Mapping } from '../text/mapping.js';
import { anchorsOf, type ComposedYaml, composeYaml, YamlTextError } from '../text/yaml-text.js';
import { decodeNode, isNode, type Reading, type Resolver } from './talos-decode.js';
import { documentShape, goTypeName } from './talos-shapes.js';
import { MAIN_KIND } from './talos-versions.js';

export { MAIN_KIND } from './talos-versions.js';

export interface TalosDocument {
  readonly apiVersion: string;
  /** `v1alpha1` for the main document. */
  readonly kind: string;
  /** '' for kinds of which there is one. */
  readonly name: string;
  /** Where it begins in its text. */
  readonly line: number;
  readonly value: Mapping;
}

/** What Talos' loader says, word for word where it is Talos' own text. */
export class TalosDocumentError extends OxherdError {
  override readonly name = 'TalosDocumentError';
  constructor(message: string) {
    super('talos.document', message, {
      advice: 'Compare with the machine config reference of this Talos version.',
    });
  }
}

export function documentId(document: Pick<TalosDocument, 'apiVersion' | 'kind' | 'name'>): string {
  return `${document.apiVersion}/${document.kind}/${document.name}`;
}

/** Loads a machine config; throws Talos' own refusal at the first document that is wrong. */
export function parseTalosDocuments(text: string, tellSyntax?: SyntaxTeller): TalosDocument[] {
  const known = new Set<string>();
  const documents = splitDocuments(text, tellSyntax).map(({ node, line, resolve }) => {
    const id = documentId(headerOf(node, resolve));
    if (known.has(id)) {
      throw new TalosDocumentError(`duplicate document ${id} is not allowed (line ${line})`);
    }
    known.add(id);
    return decodeDocument(node, line, resolve);
  });
  if (documents.length === 0) throw new TalosDocumentError('config not found');
  return documents;
}

export function formatTalosDocuments(values: readonly Mapping[]): string {
  return values.map((value) => stringify(value, YAML_FOR_GO)).join('---\n');
}

/** Bare `off` or `yes` would be booleans to a YAML 1.1 reader; long lines stay whole. */
const YAML_FOR_GO = { compat: 'yaml-1.1', indent: 4, lineWidth: 0, aliasDuplicateObjects: false } as const;

interface RawDocument {
  readonly node: Node;
  readonly line: number;
  readonly resolve: Resolver;
}

/** Says what is wrong with a text that is no YAML. */
type SyntaxTeller = (error: YAMLParseError, text: string) => string;

/** The text's documents before they are read as anything; empty ones are left out. */
export function splitDocuments(text: string, tellSyntax?: SyntaxTeller): RawDocument[] {
  const { documents, placeOf } = composed(text);
  const raw: RawDocument[] = [];
  for (const document of documents) {
    const error = document.errors[0];
    if (error) {
      const { line, column } = placeOf(error.pos[0]);
      // A config holds keys: by itself the place is said, not what stands there.
      const problem = tellSyntax?.(error, text) ?? `this is not YAML at line ${line}, column ${column}`;
      throw new TalosDocumentError(`decode error: ${problem}`);
    }
    const follow = anchorsOf(document.contents);
    const resolve: Resolver = {
      lineOf: (node) => (node?.range ? placeOf(node.range[0]).line : 1),
      follow: (node) => (isAlias(node) ? follow(node) : isNode(node) ? node : undefined),
    };
    const node = document.contents;
    if (node === null || (isScalar(node) && node.value === null)) continue;
    const line = resolve.lineOf(node);
    if (!isMap(node)) throw new TalosDocumentError(`expected a YAML document at line ${line}`);
    raw.push({ node, line, resolve });
  }
  return raw;
}

function composed(text: string): ComposedYaml {
  try {
    return composeYaml(text);
  } catch (error) {
    throw error instanceof YamlTextError ? new TalosDocumentError(`decode error: ${error.message}`) : error;
  }
}

interface Header extends Pick<TalosDocument, 'apiVersion' | 'kind' | 'name'> {
  /** The kind as it stands there; '' where none does. */
  readonly written: string;
}

function headerOf(node: Node, resolve: Resolver): Header {
  const text = (key: string): string => {
    const found = isMap(node) ? resolve.follow(node.get(key, true)) : undefined;
    return isScalar(found) ? (found.source ?? String(found.value)) : '';
  };
  const written = text('kind');
  return { apiVersion: text('apiVersion'), kind: written || MAIN_KIND, name: text('name'), written };
}

const LEGACY_KEYS = ['machine', 'cluster', 'debug', 'persist'];

export function decodeDocument(node: Node, line: number, resolve: Resolver): TalosDocument {
  const { written, ...document } = headerOf(node, resolve);
  const fail = (problem: string): never => {
    throw new TalosDocumentError(
      `error decoding document ${documentId(document)} (line ${line}): ${problem}`,
    );
  };
  const legacy = isMap(node) && node.items.some((pair) => LEGACY_KEYS.includes(String(pair.key)));
  const version = legacy ? MAIN_KIND : document.apiVersion;
  if (written === '' && version !== MAIN_KIND) return fail('missing kind');
  if (version === '') return fail('missing apiVersion');
  const registered = version === MAIN_KIND && written !== MAIN_KIND;
  const shape = registered ? documentShape(document.kind) : undefined;
  if (!shape) return fail(`${JSON.stringify(document.kind)} ${JSON.stringify(version)}: not registered`);
  const reading: Reading = { resolve, problems: [] };
  const unknown: Mapping = {};
  const value = decodeNode(node, shape, reading, unknown);
  if (reading.problems.length > 0) {
    return fail(
      `error decoding ${written} to *${goTypeName(shape)}: yaml: construct errors: ${reading.problems.join(' ')}`,
    );
  }
  if (Object.keys(unknown).length > 0) {
    return fail(
      `unknown keys found during decoding:\n${stringify(unknown, { ...YAML_FOR_GO, sortMapEntries: true })}`,
    );
  }
  return { ...document, line, value: isMapping(value) ? value : {} };
}
