/** A file of another tool as plain values, with the place of each: what the readers of foreign formats start from. */
import type { Diagnostic } from '../diagnostics.js';
import type { Path, Position, PositionOf } from '../yaml/position.js';
import type { KeptComment } from './renovate.js';

export interface ForeignDocument {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly positionOf: PositionOf;
  readonly frameOf: (position: Position) => string;
  /** What Renovate reads beside a value. */
  readonly commentOf?: (path: Path) => KeptComment | undefined;
}

export interface ReadDocument {
  /** Absent where the text cannot be read at all. */
  readonly document?: ForeignDocument;
  readonly diagnostics: readonly Diagnostic[];
}

/** A file as it was read. */
export interface NamedText {
  /** For messages: as the user named it. */
  readonly path: string;
  /** As a config in the same folder would name it. */
  readonly name: string;
  readonly text: string;
}
