/** `${NAME}` in talhelper's files: replaced by what talenv.yaml says, as talhelper does before it reads the YAML. */
import { encryptedText } from '../foreign/encrypted.js';
import { readMapping } from '../from-template/template-versions.js';
import type { ReadText } from '../resolve/context.js';

const FILES = ['talenv.yaml', 'talenv.yml', 'talenv.sops.yaml', 'talenv.sops.yml'] as const;
// A default ends at the next reference: otherwise an unclosed one would be searched to the end of the text each time.
const REFERENCE = /\$\{([A-Za-z_]\w*)(?::?-((?:[^}$]|\$(?!\{))*))?\}/g;

interface Substituted {
  readonly text: string;
  /** Names that nothing sets, with the line each stands on. */
  readonly missing: readonly { readonly name: string; readonly line: number }[];
}

export class Variables {
  readonly #values: Readonly<Record<string, unknown>>;
  /** A file of variables that cannot be read without a key. */
  readonly encrypted: string | undefined;

  constructor(readText: ReadText) {
    const found = FILES.map((path) => ({ path, text: readText(path) })).filter(
      ({ text }) => text !== undefined,
    );
    this.encrypted = found.find(({ path, text }) => encryptedText(path, text ?? ''))?.path;
    const plain = found.filter(({ path }) => path !== this.encrypted);
    this.#values = Object.fromEntries(
      plain.flatMap(({ path }) => Object.entries(readMapping(readText, path) ?? {})),
    );
  }

  in(text: string): Substituted {
    const missing: { name: string; line: number }[] = [];
    const lines = text.split('\n').map((line, i) => {
      if (/^\s*#/.test(line)) return line;
      return line.replaceAll(REFERENCE, (whole, name: string, otherwise: string | undefined) => {
        const value = Object.hasOwn(this.#values, name) ? this.#values[name] : otherwise;
        if (value !== undefined && value !== null && typeof value !== 'object') return String(value);
        missing.push({ name, line: i + 1 });
        return whole;
      });
    });
    return { text: lines.join('\n'), missing };
  }
}
