/**
 * Facts of the built-in Kubernetes types for the lab, read from the Go sources of the API that every client is built on:
 * the fields of a type, their JSON and protobuf form, and how lists and objects merge. Only names, numbers and marks
 * are taken. `npx tsx scripts/generate-kubernetes-fields.ts` (needs Go, for its module proxy).
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type GoField, type GoPackage, readPackage } from './generate-kubernetes/go-types.js';
import { ROOTS } from './generate-kubernetes/roots.js';

const VERSION = 'v0.37.1';
const TARGET = 'src/lab/kubernetes/gen/fields.ts';

/** Go's import path of a package → the first word of its types here. */
const PACKAGES: Readonly<Record<string, string>> = {
  'k8s.io/api/autoscaling/v2': 'autoscalingv2',
  'k8s.io/apimachinery/pkg/apis/meta/v1': 'meta',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1': 'apiextensions',
  'k8s.io/kube-aggregator/pkg/apis/apiregistration/v1': 'apiregistration',
};

/** Types with a JSON form of their own. */
const LEAVES: Readonly<Record<string, string>> = {
  'meta.Time': 't',
  'meta.MicroTime': 'u',
  'meta.Duration': 'd',
  'meta.FieldsV1': 'F',
  'apiextensions.JSON': 'J',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'q',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'i',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'r',
};

const SCALARS: Readonly<Record<string, string>> = {
  string: 's',
  bool: 'b',
  int32: 'n',
  int64: 'l',
  int: 'l',
  uint8: 'n',
  float64: 'f',
  '[]byte': 'y',
  'k8s.io/apimachinery/pkg/types.UID': 's',
};

const packages = new Map<string, GoPackage>();

function wordOf(path: string): string {
  return PACKAGES[path] ?? path.split('/').at(-2) ?? '';
}

/** Folder of a module's sources in Go's own cache. */
function moduleFolder(module: string): string {
  const args = ['mod', 'download', '-json', `${module}@${VERSION}`];
  const answer: unknown = JSON.parse(execFileSync('go', args, { cwd: tmpdir(), encoding: 'utf8' }));
  if (typeof answer === 'object' && answer !== null && 'Dir' in answer) return String(answer.Dir);
  throw new Error(`go has no sources of ${module}`);
}

function load(path: string): GoPackage {
  const known = packages.get(path);
  if (known) return known;
  const [, , rest] = /^(k8s\.io\/[\w-]+)(.*)$/.exec(path) ?? [];
  const module = path.slice(0, path.length - (rest?.length ?? 0));
  const loaded = readPackage(`${moduleFolder(module)}${rest}`);
  packages.set(path, loaded);
  return loaded;
}

const types = new Map<string, string>();

/** The short form of a Go type as it stands in the source of `path`. */
function compact(path: string, type: string): string {
  const scalar = SCALARS[type];
  if (scalar) return scalar;
  if (type.startsWith('*')) return compact(path, type.slice(1));
  if (type.startsWith('[]')) return `[${compact(path, type.slice(2))}`;
  const map = /^map\[[\w.]+\](.*)$/.exec(type);
  if (map) return `{${compact(path, map[1] ?? '')}`;
  const [first = '', second] = type.split('.');
  const home = second === undefined ? path : load(path).imports.get(first);
  const name = second ?? first;
  if (home === undefined) throw new Error(`${path}: no import ${first}`);
  const leaf = LEAVES[`${wordOf(home)}.${name}`] ?? LEAVES[`${home}.${name}`] ?? SCALARS[`${home}.${name}`];
  if (leaf) return leaf;
  const alias = load(home).aliases.get(name);
  // A named list of texts is a message of its own in protobuf, around the same list in JSON.
  if (alias === '[]string') return '<s';
  const short = alias === undefined ? undefined : SCALARS[alias];
  if (short) return `${short}'${home.split('/').at(-1)}.${name}`;
  if (alias !== undefined) return compact(home, alias);
  return visit(home, name);
}

function flagsOf(field: GoField): string {
  const { marks, json } = field;
  const omits = json.options.includes('omitempty');
  const keys = marks.getAll('listMapKey');
  const merges = field.tags.patchStrategy?.split(',').includes('merge') === true;
  const list = field.type.replace(/^\*/, '').startsWith('[]') && field.type !== '[]byte';
  return [
    !marks.has('optional') && !omits ? '!' : '',
    field.type.startsWith('*') ? '*' : '',
    omits ? 'o' : '',
    json.options.includes('omitzero') ? 'z' : '',
    marks.get('mapType') === 'atomic' || marks.get('structType') === 'atomic' ? 'a' : '',
    marks.get('listType') === 'set' ? 'S' : '',
    merges && list && field.tags.patchMergeKey === undefined ? 'm' : '',
    marks.get('listType') === 'map' ? `K=${keys.join(',')};` : '',
    field.tags.patchMergeKey !== undefined && list ? `M=${field.tags.patchMergeKey};` : '',
    retains(field) ? 'R' : '',
  ].join('');
}

function retains(field: GoField): boolean {
  return field.tags.patchStrategy?.split(',').includes('retainKeys') === true;
}

function visit(path: string, type: string): string {
  const id = `${wordOf(path)}.${type}`;
  if (types.has(id)) return id;
  types.set(id, '');
  const struct = load(path).structs.get(type);
  if (!struct) throw new Error(`${path}: no type ${type}`);
  const fields = struct.fields
    // TypeMeta is the envelope's, not the message's.
    .filter((field) => !(field.inline && /(^|\.)TypeMeta$/.test(field.type)))
    .map((field) => {
      const name = field.inline ? '^' : field.json.name;
      return `${name}:${field.number}:${compact(path, field.type)}:${flagsOf(field)}`;
    });
  types.set(id, [...(struct.atomic ? ['@'] : []), ...fields].join(' '));
  return id;
}

for (const [path, kinds] of Object.entries(ROOTS)) for (const kind of kinds) visit(path, kind);

const lines = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, text]) => `  '${id}': "${text}",`);
writeFileSync(
  TARGET,
  `// Generated by scripts/generate-kubernetes-fields.ts from the Go types of Kubernetes ${VERSION}. Do not edit.
/**
 * Type → its fields, \`name:number:type:flags\`; \`number\` is protobuf's. A type that begins with @ has one owner.
 * Name: ^ the fields of that type are the object's own in JSON, a message in protobuf.
 * Type: s string, b boolean, n int32, l int64, f double, y bytes, i number or string, q quantity, t time, u time with
 * microseconds, d duration, r raw object, F field set, J any JSON, [T list, {T map, <s list in a message of its own;
 * behind ' Go's name of a scalar that has one.
 * Flags: ! must be there, * pointer, o omitempty, z omitzero, a one owner, S set, K=… keys of a keyed list, M=… key of a
 * strategic merge, m strategic merge of scalars, R fields that a strategic merge does not name go.
 */
export const FIELDS: Readonly<Record<string, string>> = {
${lines.join('\n')}
};
`,
);
