import { OxherdError } from '../model/error.js';
import { type CliContext, Interrupted } from './context.js';
import { rawStream, withoutControls } from './views/terminal-text.js';

interface NameToConfirm {
  readonly name: string;
  /** What would happen: a sentence without its end. */
  readonly what: string;
  /** The command with the name in it. */
  readonly command: string;
}

/** For what cannot be taken back by running something again: the name is passed, or typed on a terminal. */
export async function confirmName(
  context: CliContext,
  given: unknown,
  { name, what, command }: NameToConfirm,
): Promise<void> {
  if ((given ?? (await typed(context, name, what))) === name) return;
  throw new OxherdError('cli.confirm', what, { advice: `say its name to confirm: ${command}` });
}

async function typed(context: CliContext, name: string, what: string): Promise<string | undefined> {
  if (!context.stdin.isTTY || !context.stdout.isTTY || context.globals.json) return undefined;
  const { text, isCancel } = await import('@clack/prompts');
  const { stdin: input, signal } = context;
  const output = rawStream(context.stdout);
  const message = withoutControls(`${what}. Type ${name} to confirm`);
  const answer = await text({ message, input, output, signal });
  if (isCancel(answer)) throw new Interrupted(what);
  return answer;
}
