/** Collects problems: a path in the config becomes a place in the user's file. */
import { type Diagnostic, type Severity, sortDiagnostics } from './diagnostics.js';
import type { Path, Position, PositionOf } from './position.js';

/** Nobody reads more at a time; a file that is not a config at all could have a hundred thousand. */
export const MAX_PROBLEMS = 200;

export interface Problem {
  readonly code: string;
  readonly path: Path;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Point at the key instead of its value. */
  readonly at?: 'key' | 'value';
}

export class Report {
  readonly #diagnostics: Diagnostic[] = [];
  readonly #seen = new Set<string>();

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

  list(): Diagnostic[] {
    return sortDiagnostics(this.#diagnostics);
  }

  #add(severity: Severity, { code, path, message, hint, at }: Problem): void {
    const position = this.positionOf(path, at);
    // One mistake in a default or a group shows once, not once per node.
    const identity = `${position.file}:${position.line}:${position.column} ${code} ${message}`;
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    this.#diagnostics.push({
      severity,
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...position,
      frame: this.frameOf(position),
    });
  }
}
