/**
 * YAML or JSON text to a `Schematic`, strict as the Image Factory is, with its messages
 * (image-factory v1.2.0; recorded in test/fixtures/formats/schematics.json).
 */
import { Document, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import type { GoYamlValue } from '../text/go-yaml.js';
import { type ComposedYaml, composeYaml, FEW_TOKENS, YamlTextError } from '../text/yaml-text.js';
import { type Schematic, schematicId } from './schematic.js';

export class SchematicError extends Error {
  override readonly name = 'SchematicError';

  constructor(
    message: string,
    /** Each of them without its line, where there are several. */
    readonly mistakes: readonly string[] = [message],
  ) {
    super(message);
  }
}

/** A schematic as the factory's API takes it. */
export function parseSchematic(text: string): Schematic {
  const { documents, placeOf } = composed(text);
  const [document, second] = documents;
  const problem = document?.errors[0];
  if (problem) throw new SchematicError(`yaml: line ${placeOf(problem.pos[0]).line}: ${problem.message}`);
  if (second) throw new SchematicError('yaml: there is more than one YAML document');
  if (!document?.contents) throw new SchematicError('EOF');
  return new Reader((node) => (node.range ? placeOf(node.range[0]).line : 0)).schematic(document.contents);
}

function composed(text: string): ComposedYaml {
  try {
    return composeYaml(text, { maxTokens: FEW_TOKENS });
  } catch (error) {
    throw error instanceof YamlTextError ? new SchematicError(`yaml: ${error.message}`) : error;
  }
}

/** A schematic that was read as YAML already, such as the one in the config. */
export function schematicFrom(value: Readonly<Record<string, unknown>>): Schematic {
  const { contents } = new Document(value);
  if (contents === null) throw new SchematicError('EOF');
  return new Reader(() => 0).schematic(contents);
}

export function schematicIdOf(value: Readonly<Record<string, unknown>>): string {
  return schematicId(schematicFrom(value));
}

const BOOTLOADERS = ['none', 'dual-boot', 'sd-boot', 'grub'];

type Fields = ReadonlyMap<string, Node>;

/** Goes on after a mistake, so that all of them are told at once, as Go's decoder does. */
class Reader {
  private readonly mistakes: { readonly line: number; readonly message: string }[] = [];

  constructor(private readonly lineOf: (node: Node) => number) {}

  schematic(root: Node): Schematic {
    const top = this.fields(root, 'Schematic', ['owner', 'overlay', 'customization']);
    const overlay = this.fields(top.get('overlay'), 'Overlay', ['image', 'name', 'options']);
    const custom = this.fields(top.get('customization'), 'Customization', [
      'extraKernelArgs',
      'meta',
      'systemExtensions',
      'bootloader',
      'secureboot',
    ]);
    const extensions = this.fields(custom.get('systemExtensions'), 'SystemExtensions', [
      'officialExtensions',
    ]);
    const secureboot = this.fields(custom.get('secureboot'), 'SecureBootCustomization', [
      'includeWellKnownCertificates',
    ]);
    const result: Schematic = {
      owner: this.text(top.get('owner')),
      overlay: {
        image: this.text(overlay.get('image')),
        name: this.text(overlay.get('name')),
        options: this.options(overlay.get('options')),
      },
      customization: {
        extraKernelArgs: this.texts(custom.get('extraKernelArgs')),
        meta: this.meta(custom.get('meta')),
        officialExtensions: this.texts(extensions.get('officialExtensions')),
        bootloader: this.bootloader(custom.get('bootloader')),
        includeWellKnownCertificates: this.truth(secureboot.get('includeWellKnownCertificates')),
      },
    };
    if (this.mistakes.length > 0) {
      const lines = this.mistakes.map(({ line, message }) => `line ${line}: ${message}`);
      throw new SchematicError(
        ['yaml: construct errors:', ...lines].join('\n  '),
        this.mistakes.map(({ message }) => message),
      );
    }
    return result;
  }

  private fields(node: Node | undefined, type: string, known: readonly string[]): Fields {
    const fields = new Map<string, Node>();
    if (isAbsent(node)) return fields;
    if (!isMap<Scalar, Node | null>(node)) {
      this.refuse(node, `schematic.${type}`);
      return fields;
    }
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = String(key.value);
      if (seen.has(name)) this.say(key, `mapping key "${name}" already defined`);
      seen.add(name);
      if (!known.includes(name)) {
        this.say(key, `field ${name} not found in type schematic.${type}`);
      } else if (value !== null) {
        fields.set(name, value);
      }
    }
    return fields;
  }

  private items(node: Node | undefined, type: string): readonly Node[] {
    if (isAbsent(node)) return [];
    if (isSeq<Node>(node)) return node.items;
    this.refuse(node, type);
    return [];
  }

  private texts(node: Node | undefined): readonly string[] {
    return this.items(node, '[]string').map((item) => this.text(item));
  }

  /** Go takes the characters of a number or boolean where a string is wanted. */
  private text(node: Node | undefined): string {
    if (isAbsent(node)) return '';
    if (isScalar(node)) return node.source ?? String(node.value);
    this.refuse(node, 'string');
    return '';
  }

  private truth(node: Node | undefined): boolean {
    if (isAbsent(node)) return false;
    if (isScalar(node) && typeof node.value === 'boolean') return node.value;
    this.refuse(node, 'bool');
    return false;
  }

  private meta(node: Node | undefined): Schematic['customization']['meta'] {
    return this.items(node, '[]schematic.MetaValue').map((item) => {
      const fields = this.fields(item, 'MetaValue', ['key', 'value']);
      return { key: this.byte(fields.get('key')), value: this.text(fields.get('value')) };
    });
  }

  private byte(node: Node | undefined): number {
    if (isAbsent(node)) return 0;
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255) return value;
    this.refuse(node, 'uint8');
    return 0;
  }

  private bootloader(node: Node | undefined): string {
    const name = this.text(node) || 'none';
    if (node && !BOOTLOADERS.includes(name))
      this.say(node, `${name} does not belong to BootloaderKind values`);
    return name;
  }

  private options(node: Node | undefined): { readonly [key: string]: GoYamlValue } {
    if (isAbsent(node)) return {};
    const value = toGoYaml(node);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as { readonly [key: string]: GoYamlValue };
    }
    this.refuse(node, 'map[string]interface {}');
    return {};
  }

  private refuse(node: Node, type: string): void {
    const short = isScalar(node) ? ` \`${shortened(node.source ?? String(node.value))}\`` : '';
    this.say(node, `cannot construct ${tagOf(node)}${short} into ${type}`);
  }

  private say(node: Node, message: string): void {
    this.mistakes.push({ line: this.lineOf(node), message });
  }
}

function isAbsent(node: Node | undefined): node is undefined {
  return node === undefined || (isScalar(node) && node.value === null);
}

function tagOf(node: Node): string {
  if (isMap(node)) return '!!map';
  if (isSeq(node)) return '!!seq';
  const value = isScalar(node) ? node.value : undefined;
  if (typeof value === 'boolean') return '!!bool';
  if (typeof value === 'number') return Number.isInteger(value) ? '!!int' : '!!float';
  return '!!str';
}

function shortened(text: string): string {
  return text.length > 10 ? `${text.slice(0, 7)}...` : text;
}

function toGoYaml(node: Node | null): GoYamlValue {
  if (isMap<Scalar, Node | null>(node)) {
    return Object.fromEntries(node.items.map(({ key, value }) => [String(key.value), toGoYaml(value)]));
  }
  if (isSeq<Node>(node)) return node.items.map(toGoYaml);
  const value = isScalar(node) ? node.value : null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
