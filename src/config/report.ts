/** Collects problems: a path in the config becomes a place in the user's file. */
import { type Diagnostic, type Severity, sortDiagnostics } from './diagnostics.js';
import type { Path, Position, PositionOf } from './yaml/position.js';

/** No one reads more at a time; a file that is not a config at all could have a hundred thousand. */
export const MAX_PROBLEMS = 200;

export interface Problem {
  readonly code: string;
  readonly path: Path;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Point at the key instead of its value. */
  readonly at?: 'key' | 'value';
}

/** A message quotes what the user wrote, which may be a word of any length. */
const LONGEST_MESSAGE = 2_000;

function shortened(text: string): string {
  if (text.length <= LONGEST_MESSAGE) return text;
  const half = LONGEST_MESSAGE / 2;
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
}

export class Report {
  readonly #diagnostics: Diagnostic[] = [];
  readonly #seen = new Set<string>();
  #saidFull = false;

  constructor(
    private readonly positionOf: PositionOf,
    private readonly frameOf: (position: Position) => string,
  ) {}

  error(problem: Problem): void {
    this.#add('error', problem);
  }

  warning(problem: Problem): void {
    this.#add('warning', problem);
  }

  /** Whether there are so many problems that looking for more is no use; the file is refused then. */
  isFull(): boolean {
    if (this.#diagnostics.length < 2 * MAX_PROBLEMS) return false;
    const message = `only the first ${this.#diagnostics.length} problems are shown`;
    if (!this.#saidFull)
      this.error({ code: 'config.too-many', path: [], message, hint: 'correct these, then look again' });
    this.#saidFull = true;
    return true;
  }

  list(): Diagnostic[] {
    return sortDiagnostics(this.#diagnostics);
  }

  #add(severity: Severity, { code, path, message, hint, at }: Problem): void {
    // However many warnings there are, errors still have room: a file with errors must not pass.
    const room = severity === 'warning' ? 2 * MAX_PROBLEMS : 3 * MAX_PROBLEMS;
    if (this.#diagnostics.length >= room) return;
    const position = this.positionOf(path, at);
    // One mistake in a default or a group shows once, not once per node.
    const identity = `${position.file}:${position.line}:${position.column} ${code} ${message}`;
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    this.#diagnostics.push({
      severity,
      code,
      message: shortened(message),
      ...(hint === undefined ? {} : { hint: shortened(hint) }),
      ...position,
      frame: this.frameOf(position),
    });
  }
}
