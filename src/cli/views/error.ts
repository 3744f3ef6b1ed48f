import type { OxherdError } from '../../model/error.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';

/** On stderr: what, where, what next. With `--json` one document on stdout instead. */
export function printError(context: CliContext, error: OxherdError): void {
  if (context.globals.json) {
    const { code, message, where, advice } = error;
    context.stdout.write(`${JSON.stringify({ error: { code, message, where, advice } })}\n`);
    return;
  }
  const colors = paint(context.globals.color);
  const where = error.where === undefined ? '' : ` (${error.where})`;
  context.stderr.write(`${colors.red('error')} ${error.message}${where}\n`);
  if (error.advice) context.stderr.write(`${colors.dim('next')}  ${error.advice}\n`);
  if (context.env.OXHERD_DEBUG) context.stderr.write(`${error.stack ?? ''}\n`);
}
