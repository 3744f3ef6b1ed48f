/** Offsets of a text to lines and columns, and its lines for code frames, secrets redacted. */
import { blotOutAll, isSensitiveKey } from '../../formats/redact/redact-text.js';
import { codeFrame } from '../diagnostics.js';
import { parseSecretRef, redactConfigSource } from '../secret-ref.js';
import type { Position } from '../yaml/position.js';
import { type KeptComment, renovateComments } from './renovate.js';

/** `proxmox_api_token = "…"`, wherever it stands: also in text that could not be parsed. Only whole words are tried. */
const ASSIGNMENT = /(?<![\w-])(?<name>[\w-]+)"?[ \t]*[=:][ \t]*"(?<value>(?:[^"\\\n]|\\.)*)"?/g;

export class TextPlaces {
  readonly #lineStarts: number[] = [0];
  #lines: readonly string[] | undefined;
  readonly #comments: (line: number) => KeptComment | undefined;

  constructor(
    readonly file: string,
    private readonly text: string,
  ) {
    this.#comments = renovateComments(text);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1);
  }

  at(offset: number): Position {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: offset - (this.#lineStarts[low] ?? 0) + 1 };
  }

  commentAt(offset: number): KeptComment | undefined {
    return this.#comments(this.at(offset).line);
  }

  frame({ line, column }: Position): string {
    this.#lines ??= redactAssignments(redactConfigSource(this.text)).split(/\r?\n/);
    return codeFrame(this.#lines, line, column);
  }
}

function redactAssignments(text: string): string {
  const ranges: [number, number][] = [];
  for (const match of text.matchAll(ASSIGNMENT)) {
    const { name = '', value = '' } = match.groups ?? {};
    if (!isSensitiveKey(name)) continue;
    // Paths to secrets and references are no secrets.
    if (value === '' || parseSecretRef(value) || /^[\w./-]+\.\w{1,6}$/.test(value)) continue;
    const start = match.index + match[0].lastIndexOf(value);
    ranges.push([start, start + value.length]);
  }
  return blotOutAll(text, ranges);
}
