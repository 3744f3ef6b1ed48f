import { OxherdError } from '../model/error.js';
import { type CliContext, Interrupted } from './context.js';
import { rawStream, withoutControls } from './views/terminal-text.js';

/** Asks on a terminal; anywhere else an unasked question is a refusal. */
export async function confirm(context: CliContext, question: string, hint: string): Promise<boolean> {
  if (!context.stdin.isTTY || !context.stdout.isTTY || context.globals.json) {
    throw new OxherdError('cli.needs-yes', `${question} Cannot ask: not a terminal.`, { advice: hint });
  }
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const { stdin: input, signal } = context;
  const output = rawStream(context.stdout);
  const answer = await ask({
    message: withoutControls(question),
    initialValue: false,
    input,
    output,
    signal,
  });
  if (isCancel(answer)) throw new Interrupted(question);
  return answer;
}
