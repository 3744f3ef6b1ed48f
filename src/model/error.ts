/**
 * Room `model`: words that every room uses: addresses, sizes, versions, identities, events, errors.
 * May touch: nothing outside it: no other room, no file, no network, no clock.
 */

import { fileErrorOf } from './file-error.js';

/** What went wrong, where, and what to do next. Boundaries subclass it; views print it. */
export class OxherdError extends Error {
  override readonly name: string = 'OxherdError';

  constructor(
    /** Stable, machine-readable: `proxmox.unauthorized`, `config.invalid`, … */
    readonly code: string,
    message: string,
    readonly details: {
      /** What the reader should do next. */
      advice?: string;
      /** Which address, file or object this is about. */
      where?: string;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
  }

  get advice(): string | undefined {
    return this.details.advice;
  }

  get where(): string | undefined {
    return this.details.where;
  }

  /** `file`: the one that was read or written, where the error may not name it. */
  static from(value: unknown, code = 'unexpected', file?: string): OxherdError {
    if (value instanceof OxherdError) return value;
    if (value instanceof Error) {
      const { message, advice } = fileErrorOf(value, file) ?? {};
      return message === undefined
        ? new OxherdError(code, value.message, { cause: value })
        : new OxherdError('file.failed', message, { cause: value, ...(advice !== undefined && { advice }) });
    }
    return new OxherdError(code, String(value));
  }
}
