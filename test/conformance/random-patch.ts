/** Random strategic patches, made from Talos' own types so that most of them are accepted. */
import { stringify } from 'yaml';
import { DOCUMENT_STRUCTS } from '../../src/formats/gen/talos-shapes.js';
import { MAIN_KIND } from '../../src/formats/talos/talos-documents.js';
import { documentShape, type Shape, structOf } from '../../src/formats/talos/talos-shapes.js';
import { isMapping, type Mapping } from '../../src/formats/text/mapping.js';

/** Good values of types that read themselves; fields of other types are left out. */
const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  'cel.Expression': ['!system_disk', 'disk.size > 10u * GiB'],
  'block.ByteSize': ['10GiB', '512MiB'],
  'block.Size': ['20GiB', '50%'],
  'block.FilesystemType': ['xfs', 'ext4'],
  'block.VolumeType': ['partition', 'disk', 'directory'],
  'block.EncryptionProviderType': ['luks2'],
  'meta.Addr': ['10.0.0.1', 'fd00::1'],
  'meta.Prefix': ['10.0.0.0/24', '192.0.2.7/32'],
  'meta.ArgValue': ['a', 'b', ['c', 'd']],
  'nethelpers.AutoHostnameKind': ['off', 'stable'],
  'nethelpers.BondMode': ['active-backup', '802.3ad'],
  'nethelpers.VLANProtocol': ['802.1q', '802.1ad'],
  'nethelpers.ClientIdentifier': ['mac', 'none'],
  'nethelpers.DefaultAction': ['block', 'accept'],
};

/** A pair of links claims a second name, which is a question of validation, not of patching. */
const ADDED = Object.keys(DOCUMENT_STRUCTS).filter((kind) => kind !== 'VethConfig');

const WORDS = ['a', 'b.example.org', 'yes', '10.0.0.0/8', 'x:y', ''];

export class PatchGenerator {
  #added = 0;

  constructor(private readonly random: () => number) {}

  #int(high: number): number {
    return Math.floor(this.random() * high);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#int(items.length)] as T;
  }

  /** One patch of one or two documents; most for documents of the base. */
  patch(base: readonly Mapping[]): string {
    const documents = Array.from({ length: 1 + this.#int(2) }, () => this.#document(base));
    return documents.map((document) => stringify(document, { compat: 'yaml-1.1' })).join('---\n');
  }

  #document(base: readonly Mapping[]): Mapping {
    const target = this.#pick(base);
    const kind = this.random() < 0.8 ? String(target.kind ?? MAIN_KIND) : this.#pick(ADDED);
    const known = base.find((document) => (document.kind ?? MAIN_KIND) === kind);
    const shape = documentShape(kind);
    if (!shape) return {};
    const identity =
      kind === MAIN_KIND
        ? {}
        : { apiVersion: 'v1alpha1', kind, ...(known?.name !== undefined && { name: known.name }) };
    if (kind !== MAIN_KIND && known && this.random() < 0.1) return { ...identity, $patch: 'delete' };
    const value = this.#value(shape, known, 0);
    const { apiVersion: _a, kind: _k, name: _n, ...fields } = isMapping(value) ? value : {};
    // New documents get names of their own: two that claim one link are refused for that alone.
    const named = shape.kind === 'struct' && structOf(shape.name).fields.has('name') && kind !== MAIN_KIND;
    return { ...fields, ...(named && !known && { name: `new-${this.#added++}` }), ...identity };
  }

  /** `existing` steers towards keys that are there, where merging and deleting have something to do. */
  #value(shape: Shape, existing: unknown, depth: number): unknown {
    switch (shape.kind) {
      case 'pointer':
        return this.#value(shape.to, existing, depth);
      case 'any':
        return this.#pick<unknown>([{ a: 1 }, { a: { b: 'c' } }, undefined]);
      case 'opaque':
        return this.#pick(SAMPLES[shape.name] ?? [undefined]);
      case 'scalar':
        return this.#scalar(shape.scalar);
      case 'list':
        return this.#list(shape, existing, depth);
      case 'map': {
        const keys = [...Object.keys(isMapping(existing) ? existing : {}), 'new', 'yes'];
        const chosen = keys.filter(() => this.random() < 0.4);
        return Object.fromEntries(
          chosen
            .map((key) => [
              key,
              this.#value(shape.item, isMapping(existing) ? existing[key] : undefined, depth + 1),
            ])
            .filter(([, value]) => value !== undefined),
        );
      }
      case 'struct':
        return this.#struct(shape.name, existing, depth);
    }
  }

  #struct(name: string, existing: unknown, depth: number): unknown {
    const struct = structOf(name);
    if (struct.open) return this.#pick([{ a: 'b' }, { list: [1] }]);
    const there = isMapping(existing) ? existing : {};
    const result: Mapping = {};
    for (const [key, field] of struct.fields) {
      const likely = key in there ? 0.4 : depth > 3 ? 0.05 : 0.12;
      if (this.random() > likely) continue;
      if (key in there && depth > 0 && this.random() < 0.1) {
        result[key] = this.random() < 0.7 ? { $patch: 'delete' } : null;
        continue;
      }
      const value = this.#value(field.shape, there[key], depth + 1);
      if (value !== undefined) result[key] = value;
    }
    return result;
  }

  #list(shape: Extract<Shape, { kind: 'list' }>, existing: unknown, depth: number): unknown {
    const items: unknown[] = Array.isArray(existing) ? existing : [];
    const chosen = items.filter((item) => isMapping(item) && this.random() < 0.3);
    const touched = chosen.map((item) => {
      const [first] = Object.entries(isMapping(item) ? item : {});
      if (first && typeof first[1] === 'string' && this.random() < 0.3)
        return { [first[0]]: first[1], $patch: 'delete' };
      const value = this.#value(shape.item, item, depth + 1);
      return isMapping(value) && first && typeof first[1] === 'string'
        ? { ...value, [first[0]]: first[1] }
        : value;
    });
    const added = this.random() < 0.5 ? [this.#value(shape.item, undefined, depth + 1)] : [];
    return [...touched, ...added].filter((item) => item !== undefined);
  }

  #scalar(kind: string): unknown {
    switch (kind) {
      case 'string':
        return this.#pick(WORDS);
      case 'bool':
        return this.random() < 0.5;
      case 'int':
      case 'uint':
        return this.#pick([0, 1, 100]);
      case 'float':
        return 0.5;
      case 'duration':
        return this.#pick(['2m0s', '1h0m0s']);
      default:
        return undefined;
    }
  }
}
