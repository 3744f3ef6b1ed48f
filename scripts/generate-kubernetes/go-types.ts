/** Struct types of a Go package, as far as the sources of the Kubernetes API use the language. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GoField {
  readonly type: string;
  /** Its fields are the struct's own in JSON. */
  readonly inline: boolean;
  readonly json: { readonly name: string; readonly options: readonly string[] };
  /** Of protobuf; 0 where it has none. */
  readonly number: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly marks: Marks;
}

export interface GoPackage {
  readonly structs: Map<string, { readonly atomic: boolean; readonly fields: readonly GoField[] }>;
  /** `type PodPhase string`. */
  readonly aliases: Map<string, string>;
  readonly imports: Map<string, string>;
}

/** The `+name=value` lines of a comment. */
export class Marks {
  readonly #lines: [string, string][] = [];

  add(comment: string): void {
    const match = /^\/\/\s*\+([\w:]+)(?:=(.*))?$/.exec(comment);
    if (match) this.#lines.push([match[1] ?? '', (match[2] ?? '').trim()]);
  }

  has(name: string): boolean {
    return this.#lines.some(([mark]) => mark === name);
  }

  get(name: string): string | undefined {
    return this.#lines.find(([mark]) => mark === name)?.[1];
  }

  getAll(name: string): string[] {
    return this.#lines.filter(([mark]) => mark === name).map(([, value]) => value);
  }
}

export function readPackage(folder: string): GoPackage {
  const found: GoPackage = { structs: new Map(), aliases: new Map(), imports: new Map() };
  const files = readdirSync(folder).filter(
    (name) => /\.go$/.test(name) && !/_test\.go$|^generated|^zz_/.test(name),
  );
  for (const name of files) readFile(readFileSync(join(folder, name), 'utf8'), found);
  return found;
}

function readFile(text: string, { structs, aliases, imports }: GoPackage): void {
  for (const [, alias, path = ''] of text.matchAll(/^\t?(?:import )?(?:(\w+) )?"(k8s\.io[^"]*)"$/gm)) {
    imports.set(alias ?? path.split('/').at(-1) ?? '', path);
  }
  let marks = new Marks();
  let struct: { name: string; atomic: boolean; fields: GoField[] } | undefined;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line.startsWith('//')) {
      marks.add(line);
      continue;
    }
    if (struct) {
      if (raw === '}') {
        structs.set(struct.name, struct);
        struct = undefined;
      } else {
        const field = fieldOf(line, marks);
        if (field) struct.fields.push(field);
      }
    } else {
      const declared = /^type (\w+) (=?)\s*(.*)$/.exec(raw);
      if (declared?.[3] === 'struct {') {
        struct = { name: declared[1] ?? '', atomic: marks.get('structType') === 'atomic', fields: [] };
      } else if (declared?.[3] === 'struct{}') {
        structs.set(declared[1] ?? '', { atomic: false, fields: [] });
      } else if (declared && /^(\w+|\[\][\w.]+|map\[.*)$/.test(declared[3] ?? '')) {
        aliases.set(declared[1] ?? '', declared[3] ?? '');
      }
    }
    // A mark stands in the comment block right before what it is about; the block before that counts for types.
    if (line !== '' || struct) marks = new Marks();
  }
}

function fieldOf(line: string, marks: Marks): GoField | undefined {
  const match = /^(?:(\w+)\s+)?([\w.*[\]]+)\s+`([^`]*)`/.exec(line);
  if (!match) return undefined;
  const tags: Record<string, string> = {};
  for (const [, key = '', value = ''] of (match[3] ?? '').matchAll(/(\w+):"([^"]*)"/g)) tags[key] = value;
  const [name = '', ...options] = (tags.json ?? '').split(',');
  if (name === '-') return undefined;
  const number = Number(tags.protobuf?.split(',')[1] ?? 0);
  // An embedded struct without a name is inline, marked so or not.
  const inline = options.includes('inline') || (name === '' && match[1] === undefined);
  return { type: match[2] ?? '', inline, json: { name, options }, number, tags, marks };
}
