import type { SessionMessage } from '../../session/context.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';

/** On stderr, so that what a command prints stays clean. */
export function messageView({
  globals,
  stderr,
}: Pick<CliContext, 'globals' | 'stderr'>): (message: SessionMessage) => void {
  const word = paint(globals.color).yellow('note');
  return ({ kind, message }) => {
    stderr.write(kind === 'note' ? `${word} ${message}\n` : `${message}\n`);
  };
}
