/**
 * What a machine's config says differently from the one that is designed for it, as patches that lead from one to the
 * other: first what must go, then what must come. A list is replaced as a whole, because patches append to lists.
 */
import { stringify } from 'yaml';
import { isSensitiveKey } from '../../formats/redact/redact-text.js';
import { isMapping, type Mapping, ownValue, setOwn } from '../../formats/text/mapping.js';
import { canonicalJson } from '../canonical-json.js';
import { bundlePaths } from './meaning.js';

/** One place of one document. */
export interface Difference {
  /** What identifies the document; empty for the main one. */
  readonly document: Readonly<Record<string, string>>;
  /** Empty: the document as a whole. */
  readonly path: readonly string[];
  /** Absent: it is not in the machine's config. */
  readonly value?: unknown;
  /** It is in the designed config, and must go before another value can come. */
  readonly replaces: boolean;
}

interface Residual {
  readonly differences: readonly Difference[];
  /** Places that hold a secret which is not of the cluster's bundle: no patch says those. */
  readonly secret: readonly string[];
}

export function residual(designed: readonly Mapping[], actual: readonly Mapping[]): Residual {
  const differences: Difference[] = [];
  const secret: string[] = [];
  const wanted = new Map(designed.map((document) => [idOf(document), document]));
  const there = new Map(actual.map((document) => [idOf(document), document]));
  for (const [id, document] of wanted) {
    if (!there.has(id)) differences.push({ document: identity(document), path: [], replaces: true });
  }
  for (const [id, document] of there) {
    const ours = wanted.get(id);
    const found = ours
      ? compare(identity(document), [], ours, document)
      : [{ document: identity(document), path: [], value: document, replaces: false }];
    for (const difference of found) {
      if (holdsSecret(difference, document)) secret.push(placeOf(difference));
      else differences.push(difference);
    }
  }
  return { differences, secret };
}

/** Texts of patches, to be applied in this order; none where there is no difference. */
export function residualPatches(differences: readonly Difference[]): string[] {
  const gone = differences.filter(({ replaces }) => replaces);
  const come = differences.filter(({ value }) => value !== undefined);
  const deletion = () => ({ $patch: 'delete' });
  return [patchOf(gone, deletion), patchOf(come, ({ value }) => value)].filter((text) => text !== '');
}

/** What all of them say alike, and what each says of its own. */
export function inCommon(lists: readonly (readonly Difference[])[]): {
  readonly common: readonly Difference[];
  readonly own: readonly (readonly Difference[])[];
} {
  const [first = [], ...others] = lists.map(
    (list) => new Map(list.map((each) => [canonicalJson(each), each])),
  );
  const shared =
    lists.length < 2 ? [] : [...first].filter(([key]) => others.every((other) => other.has(key)));
  const keys = new Set(shared.map(([key]) => key));
  return {
    common: shared.map(([, difference]) => difference),
    own: lists.map((list) => list.filter((each) => !keys.has(canonicalJson(each)))),
  };
}

function compare(
  document: Difference['document'],
  path: readonly string[],
  ours: Mapping,
  theirs: Mapping,
): Difference[] {
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  return keys.flatMap((key): Difference[] => {
    const here = [...path, key];
    const [a, b] = [ours[key], theirs[key]];
    if (isOfBundle(document, here) || canonicalJson(a ?? null) === canonicalJson(b ?? null)) return [];
    if (isMapping(a) && isMapping(b) && Object.keys(a).length > 0 && Object.keys(b).length > 0)
      return compare(document, here, a, b);
    const replaces = a !== undefined && a !== null;
    return [{ document, path: here, ...(b !== undefined && b !== null && { value: b }), replaces }];
  });
}

/** Certificates, keys and tokens of the cluster: the secrets say those. */
function isOfBundle(document: Difference['document'], path: readonly string[]): boolean {
  if (Object.keys(document).length > 0) return false;
  return bundlePaths().some((bundle) => bundle.join('.') === path.join('.'));
}

/** Documents and fields whose text is often a credential: environment of extensions, files, login of registries. */
const SECRET_KINDS = ['ExtensionServiceConfig', 'RegistryAuthConfig', 'WireguardConfig'];
const SECRET_TEXT = /-----BEGIN [A-Z ]*PRIVATE KEY-----|^kind:\s*["']?Secret\b/m;

function holdsSecret({ value, path }: Difference, document: Mapping): boolean {
  if (value === undefined) return false;
  if (SECRET_KINDS.some((kind) => kind === document.kind)) return true;
  return isSecret(value, path);
}

function isSecret(value: unknown, path: readonly string[]): boolean {
  if (isOfBundle({}, path)) return false;
  if (typeof value === 'string') {
    const key = path.at(-1) ?? '';
    return (
      value !== '' &&
      (SECRET_TEXT.test(value) || isSensitiveKey(key) || path.join('.') === 'machine.files.content')
    );
  }
  if (Array.isArray(value)) return value.some((item: unknown) => isSecret(item, path));
  return isMapping(value) && Object.entries(value).some(([key, inner]) => isSecret(inner, [...path, key]));
}

function patchOf(differences: readonly Difference[], saying: (difference: Difference) => unknown): string {
  const documents = new Map<string, Record<string, unknown>>();
  for (const difference of differences) {
    const key = canonicalJson(difference.document);
    const patch = documents.get(key) ?? { ...difference.document };
    documents.set(key, patch);
    const value = saying(difference);
    if (difference.path.length > 0) put(patch, difference.path, value);
    else if (isMapping(value)) for (const [name, inner] of Object.entries(value)) setOwn(patch, name, inner);
  }
  return [...documents.values()]
    .map((patch) => stringify(patch, { compat: 'yaml-1.1', lineWidth: 0 }))
    .join('---\n');
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = into;
  for (const key of path.slice(0, -1)) {
    const next = ownValue(at, key);
    const inner: Record<string, unknown> = isMapping(next) ? next : {};
    setOwn(at, key, inner);
    at = inner;
  }
  setOwn(at, path.at(-1) ?? '', value);
}

function placeOf({ document, path }: Difference): string {
  const kind = [document.kind, document.name].filter((part) => part !== undefined).join(' ');
  return [kind, path.join('.')].filter((part) => part !== '').join(': ');
}

function identity(document: Mapping): Readonly<Record<string, string>> {
  if (document.kind === undefined) return {};
  const named = ['apiVersion', 'kind', 'name'].filter((key) => typeof document[key] === 'string');
  return Object.fromEntries(named.map((key) => [key, String(document[key])]));
}

function idOf(document: Mapping): string {
  return canonicalJson(identity(document));
}
