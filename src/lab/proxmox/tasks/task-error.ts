import { PveError } from '../api.js';

/** The line break at the end of a message goes, others become blanks (recording `node-hardware`, "start 1300"). */
export function taskErrorText(error: unknown): string {
  return errorText(error).replace(/\n$/, '').replaceAll('\n', ' ');
}

/** An error as Perl prints it: with its status and its `errors` where it has them. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof PveError) || error.status === 500) return error.message;
  const details = Object.entries(error.errors ?? {}).map(([key, text]) => `${key}: ${text}\n`);
  const message = error.message.endsWith('\n') ? error.message : `${error.message}\n`;
  return `${error.status} ${message}${details.join('')}`;
}
