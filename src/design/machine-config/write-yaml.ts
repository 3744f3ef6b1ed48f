/**
 * Writes documents as YAML for Go. Ours, because a general library takes most of the time for a hundred nodes:
 * the values are plain JSON, and parts that many nodes share are written once.
 */

import { isMapping, type Mapping } from '../../formats/text/mapping.js';

const STEP = '    ';

export class YamlWriter {
  /** By identity: shared parts are the same objects for every node of a role. */
  readonly #texts = new WeakMap<object, string>();

  write(documents: readonly Mapping[]): string {
    return documents.map((document) => this.#mapping(document, '')).join('---\n');
  }

  #mapping(value: Mapping, indent: string): string {
    let text = '';
    for (const [key, child] of Object.entries(value)) {
      if (child !== undefined) text += `${indent}${plainOrQuoted(key)}:${this.#shared(child, indent)}`;
    }
    return text;
  }

  /** Everything behind `key:`, up to and with the newline. */
  #shared(value: unknown, indent: string): string {
    // Parts below machine and cluster: the only place where sharing pays.
    if (indent !== STEP || typeof value !== 'object' || value === null) return this.#value(value, indent);
    let text = this.#texts.get(value);
    if (text === undefined) {
      text = this.#value(value, indent);
      this.#texts.set(value, text);
    }
    return text;
  }

  #value(value: unknown, indent: string): string {
    if (Array.isArray(value)) {
      if (value.length === 0) return ' []\n';
      return `\n${value.map((item: unknown) => this.#item(item, `${indent}${STEP}`)).join('')}`;
    }
    if (isMapping(value)) {
      return Object.keys(value).length === 0 ? ' {}\n' : `\n${this.#mapping(value, `${indent}${STEP}`)}`;
    }
    if (typeof value === 'string' && value.includes('\n')) return ` ${block(value, `${indent}${STEP}`)}`;
    return ` ${scalar(value)}\n`;
  }

  #item(value: unknown, indent: string): string {
    if (isMapping(value) && Object.keys(value).length > 0) {
      // The first key stands on the line of the dash, two columns in.
      return `${indent}- ${this.#mapping(value, `${indent}  `).slice(indent.length + 2)}`;
    }
    return `${indent}-${this.#value(value, indent)}`;
  }
}

/** Text of several lines stays readable where a literal block can carry it unchanged; else it is quoted. */
function block(value: string, indent: string): string {
  const body = value.replace(/\n$/, '');
  const lines = body.split('\n');
  const carried =
    /^[^ \n]/.test(body) && !body.endsWith('\n') && lines.every((line) => LITERAL_LINE.test(line));
  if (!carried) return `${plainOrQuoted(value)}\n`;
  const text = lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n');
  return `${body === value ? '|-' : '|'}\n${text}\n`;
}

/** Printable, and not of blanks alone. */
const LITERAL_LINE =
  /^(?: *[\x21-\x7e\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe][\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe]*)?$/;

function scalar(value: unknown): string {
  return typeof value === 'string' ? plainOrQuoted(value) : JSON.stringify(value ?? null);
}

/** Begins with a letter or a slash, so it is no number or date; no colon before a blank or at the end. */
const PLAIN = /^[A-Za-z/][\w./@+=-]*(:[\w./@+=-]+)*$/;
const ADDRESS = /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/;
/** Booleans and null to readers of YAML 1.1. */
const WORDS = /^(y|yes|n|no|on|off|true|false|null)$/i;

function plainOrQuoted(text: string): string {
  if ((PLAIN.test(text) && !WORDS.test(text)) || ADDRESS.test(text)) return text;
  // JSON strings are YAML strings, but for the two line separators that YAML would fold.
  return JSON.stringify(text)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replaceAll('\u0085', '\\u0085')
    .replaceAll('\u007f', '\\u007f');
}
