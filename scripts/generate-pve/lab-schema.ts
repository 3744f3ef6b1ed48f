import type { ApiMethod, RawFormat, RawObject, RawProperty } from './raw.js';

/** How many devices of a kind there may be: `scsi[n]` stands for `scsi0` to `scsi30`. */
const INDEXED: Record<string, number> = {
  acmedomain: 6,
  hostpci: 16,
  ide: 4,
  ipconfig: 32,
  link: 8,
  net: 32,
  numa: 8,
  parallel: 3,
  sata: 6,
  scsi: 31,
  serial: 4,
  unused: 256,
  usb: 14,
  virtio: 16,
  virtiofs: 10,
};

/** Property strings without a name get one (`#n`), the same one for the same content. */
class Formats {
  readonly named: Record<string, unknown> = {};
  readonly #unnamed = new Map<string, string>();

  constructor(private readonly known: Record<string, RawFormat | string>) {}

  name(format: string | RawFormat): string {
    if (typeof format === 'string') {
      const content = this.known[format];
      if (typeof content === 'object' && !(format in this.named)) {
        this.named[format] = null;
        this.named[format] = this.content(content);
      }
      return format;
    }
    const content = this.content(format);
    const text = JSON.stringify(content);
    const name = this.#unnamed.get(text) ?? `#${this.#unnamed.size + 1}`;
    this.#unnamed.set(text, name);
    this.named[name] = content;
    return name;
  }

  content(format: RawFormat): Record<string, unknown> {
    return Object.fromEntries(Object.entries(format).map(([key, value]) => [key, this.property(value)]));
  }

  property(raw: RawProperty): Record<string, unknown> {
    const number = (value: number | string | undefined) => (value === undefined ? undefined : Number(value));
    return {
      type: Array.isArray(raw.type) ? raw.type.join('|') : raw.type,
      optional: Number(raw.optional) ? true : undefined,
      format: raw.format === undefined ? undefined : this.name(raw.format),
      pattern: raw.pattern === undefined ? undefined : javascriptPattern(raw.pattern),
      minimum: number(raw.minimum),
      maximum: number(raw.maximum),
      minLength: number(raw.minLength),
      maxLength: number(raw.maxLength),
      // A null enumeration (download-url's compression) checks nothing.
      enum: raw.enum?.map(String),
      requires: raw.requires,
      default: raw.default ?? undefined,
      items: raw.items && this.property(raw.items),
      alias: raw.alias,
      keyAlias: raw.keyAlias,
      defaultKey: raw.default_key ? true : undefined,
    };
  }

  object(raw: RawObject): Record<string, unknown> {
    if (raw.oneOf) {
      return {
        typeProperty: raw['type-property'],
        typeSchema: this.property(raw['type-property-schema'] ?? {}),
        optional: raw.optional ? true : undefined,
        variants: Object.fromEntries(
          raw.oneOf.map((variant) => [variant['instance-type'], this.object(variant)]),
        ),
      };
    }
    return {
      properties: raw.properties && this.content(raw.properties),
      additionalProperties: raw.additionalProperties === 0 ? false : undefined,
      allOf: raw.allOf?.map((part) => this.object(part)),
    };
  }
}

/** Perl prints compiled patterns as `(?^i:…)`. */
function javascriptPattern(perl: string): string {
  const pattern = perl
    .replace(/\(\?\^i:/g, '(?:')
    .replace(/\(\?\^u?:/g, '(?:')
    .replace(/\{,(\d+)\}/g, '{0,$1}')
    // The same words, found without trying every way to cut them: OCI references.
    .replaceAll('[-]*)[a-z\\d]+)*', '-+)[a-z\\d]+)*')
    .replaceAll('(?:[a-zA-Z\\d]|[a-zA-Z\\d][a-zA-Z\\d-]*[a-zA-Z\\d])', '[a-zA-Z\\d](?:-*[a-zA-Z\\d])*');
  // Case-insensitive parts are all tags: the letters of both cases are written out.
  const text = perl.includes('(?^i:') ? pattern.replaceAll('a-z0-9', 'a-zA-Z0-9') : pattern;
  new RegExp(text);
  return text;
}

export function labSchema(methods: ApiMethod[], known: Record<string, RawFormat | string>): string {
  const formats = new Formats(known);
  const lines = methods.map((method) =>
    JSON.stringify({
      method: method.method,
      path: method.path,
      token: Boolean(method.allowtoken),
      onNode: method.proxyto === 'node',
      permissions: method.permissions && {
        user: method.permissions.user,
        check: method.permissions.check,
      },
      parameters: formats.object(method.parameters),
    }),
  );
  const named = Object.entries(formats.named).map(([name, content]) => JSON.stringify([name, content]));
  return [
    '// Written by scripts/generate-pve.ts. Do not edit.',
    "import type { FormatSchema, MethodSchema } from '../schema.js';",
    '',
    `export const INDEXED: Readonly<Record<string, number>> = ${JSON.stringify(INDEXED)};`,
    '',
    'export const METHODS: readonly MethodSchema[] = [',
    ...lines.map((line) => `  ${line},`),
    '];',
    '',
    'export const FORMATS: ReadonlyMap<string, FormatSchema> = new Map<string, FormatSchema>([',
    ...named.map((line) => `  ${line},`),
    ']);',
    '',
  ].join('\n');
}
