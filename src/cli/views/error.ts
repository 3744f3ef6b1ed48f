import { redactText } from '../../formats/redact/redact-text.js';
import type { OxherdError } from '../../model/error.js';
import type { CliContext } from '../context.js';
import { withUserFlags } from '../own-commands.js';
import { tell } from './message.js';
import { paint } from './paint.js';
import { columnsOf, fitted } from './screen/wrap.js';

const UNEXPECTED = 'this is a bug: run it again with OXHERD_DEBUG=1 and report what it prints';

/** On stderr: what, where, what next. With `--json` one document on stdout instead. */
export function printError(context: CliContext, failure: OxherdError): void {
  const plain = redacted(failure);
  const advice = plain.advice ?? (plain.code === 'unexpected' ? UNEXPECTED : undefined);
  const error = { ...plain, advice: advice === undefined ? undefined : withUserFlags(context, advice) };
  if (context.globals.json) {
    const { code, message, where, advice } = error;
    context.stdout.write(`${JSON.stringify({ error: { code, message, where, advice } })}\n`);
    return;
  }
  if (context.globals.log?.format === 'json') {
    const { code, message, where, advice } = error;
    tell(context, 'error', message, { message, code, where, advice });
    return;
  }
  const colors = paint(context.globals.color);
  const where = error.where === undefined ? '' : ` (${error.where})`;
  const write = (line: string) =>
    context.stderr.write(`${fitted(line, columnsOf({ stdout: context.stderr }))}\n`);
  write(`${colors.red('error')} ${error.message}${where}`);
  if (error.advice) write(`${colors.dim('next')}  ${error.advice}`);
  if (context.env.OXHERD_DEBUG) context.stderr.write(`${error.stack}\n`);
}

/** Whatever program it came from: what looks like a key or a token stays here. */
function redacted({ code, message, where, advice, stack }: OxherdError) {
  return {
    code,
    message: redactText(message),
    where: where === undefined ? undefined : redactText(where),
    advice: advice === undefined ? undefined : redactText(advice),
    stack: redactText(stack ?? ''),
  };
}
