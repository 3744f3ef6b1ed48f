import { resolve } from 'node:path';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from './context.js';

/** The folder of `--state`, else the lab of `--lab`. */
export function labFolder({ cwd }: Pick<CliContext, 'cwd'>, { options }: CommandInput): string {
  return resolve(cwd, String(options.state ?? '.oxherd/lab'));
}

export function tellDone({ globals, stdout }: CliContext, done: string): ExitCode {
  stdout.write(globals.json ? `${JSON.stringify({ done })}\n` : `${done}\n`);
  return EXIT.done;
}
