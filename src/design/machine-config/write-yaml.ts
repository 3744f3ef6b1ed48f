/** Writes documents as YAML for Go, keeping the text of parts that many nodes share. */

import { stringify } from 'yaml';
import { isMapping, type Mapping } from '../../formats/talos-documents.js';

const YAML_FOR_GO = { compat: 'yaml-1.1', indent: 4, lineWidth: 0, aliasDuplicateObjects: false } as const;

export class YamlWriter {
  /** By identity: shared parts are the same objects for every node of a role. */
  readonly #texts = new WeakMap<object, Map<string, string>>();

  write(documents: readonly Mapping[]): string {
    return documents.map((document) => this.#document(document)).join('---\n');
  }

  #document(document: Mapping): string {
    // Only the main document is large; its parts below machine and cluster are the unit of sharing.
    if (!isMapping(document.machine) && !isMapping(document.cluster)) return stringify(document, YAML_FOR_GO);
    return Object.entries(document)
      .map(([key, value]) =>
        isMapping(value) && Object.keys(value).length > 0
          ? `${key}:\n${this.#children(value)}`
          : this.#entry(key, value),
      )
      .join('');
  }

  #children(value: Mapping): string {
    return Object.entries(value)
      .map(([key, child]) => this.#indentedEntry(key, child))
      .join('');
  }

  #indentedEntry(key: string, value: unknown): string {
    if (typeof value !== 'object' || value === null) return indent(this.#entry(key, value));
    let texts = this.#texts.get(value);
    if (!texts) {
      texts = new Map();
      this.#texts.set(value, texts);
    }
    let text = texts.get(key);
    if (text === undefined) {
      text = indent(this.#entry(key, value));
      texts.set(key, text);
    }
    return text;
  }

  #entry(key: string, value: unknown): string {
    return stringify({ [key]: value }, YAML_FOR_GO);
  }
}

/** Empty lines stay empty: they belong to block scalars. */
function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}
