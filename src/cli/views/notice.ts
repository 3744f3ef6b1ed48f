import type { Notice } from '../../session/context.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';

/** On stderr, so that what a command prints stays clean. */
export function noticeView({
  globals,
  stderr,
}: Pick<CliContext, 'globals' | 'stderr'>): (notice: Notice) => void {
  const word = paint(globals.color).yellow('note');
  return ({ kind, message }) => {
    stderr.write(kind === 'notice' ? `${word} ${message}\n` : `${message}\n`);
  };
}
