/** Standard output and error as streams that may break while a command runs: the run continues without them. */
import type { Writable } from 'node:stream';
import { OxherdError } from '../model/error.js';

interface Outputs {
  /** Aborted once nothing reads stdout any more. */
  readonly closed: AbortSignal;
  /** Why text of stdout was lost although something could have read it, such as a full disk. */
  lost(): OxherdError | undefined;
}

/** A pipe whose reader has ended, or a terminal that was closed. */
const READER_GONE: ReadonlySet<string> = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

export function keepGoing({
  stdout,
  stderr,
}: {
  readonly stdout: Writable;
  readonly stderr: Writable;
}): Outputs {
  const closed = new AbortController();
  let lost: OxherdError | undefined;
  stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (READER_GONE.has(cause.code ?? '')) closed.abort();
    else
      lost ??= new OxherdError('cli.output', `the output could not be written: ${cause.message}`, {
        advice: 'write it to another place; the journal of a run is whole: `oxherd runs show`',
        cause,
      });
  });
  // There is no other place to say that stderr is gone.
  stderr.on('error', () => undefined);
  return { closed: closed.signal, lost: () => lost };
}
