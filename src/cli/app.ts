/** Reads the command line, loads the one command it names, and turns whatever happens into an exit code. */
import { Command, CommanderError, Option } from 'commander';
import { OxherdError } from '../model/error.js';
import type { CommandSpec } from './command-spec.js';
import { COMMANDS, type LoadableCommand } from './command-table.js';
import { type CliContext, EXIT, type ExitCode, type GlobalOptions } from './context.js';
import { printError } from './views/error.js';

export interface Process {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: CliContext['stdin'];
  readonly stdout: CliContext['stdout'];
  readonly stderr: CliContext['stderr'];
  readonly signal: AbortSignal;
  readonly version: string;
}

export async function runApp(process: Process): Promise<ExitCode> {
  let result: ExitCode = EXIT.done;
  const run = async (spec: LoadableCommand, command: Command): Promise<void> => {
    const context = contextOf(process, command);
    const { run: runCommand } = await (spec.load as NonNullable<LoadableCommand['load']>)();
    try {
      result = await runCommand(context, { args: command.args, options: command.opts() });
    } catch (error) {
      if (process.signal.aborted) {
        result = EXIT.interrupted;
        return;
      }
      printError(context, OxherdError.from(error));
      result = EXIT.failed;
    }
  };

  const program = buildProgram(process, run);
  try {
    await program.parseAsync([...process.argv], { from: 'user' });
  } catch (error) {
    // Help and version end the parsing too; commander has printed what there is to print.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.failed;
    throw error;
  }
  return result;
}

function buildProgram(
  process: Process,
  run: (spec: LoadableCommand, command: Command) => Promise<void>,
): Command {
  const program = new Command('oxherd')
    .description('Builds and runs Talos Linux Kubernetes clusters on Proxmox VE from one file.')
    .version(process.version, '-V, --version', 'print the version')
    .option(
      '-c, --config <file>',
      'the cluster: oxherd.yaml, a .tfvars file, or a folder of the template',
      'oxherd.yaml',
    )
    .option('--lab', 'run on the embedded lab instead of a real Proxmox', false)
    .option('--lab-profile <name>', 'fixed world a new lab starts from')
    .addOption(
      new Option('--fault <name...>', 'let the lab fail by name; see docs/lab.md').default([], 'none'),
    )
    .option('--json', 'print JSON; nothing else goes to stdout', false)
    .option('--no-color', 'no colours (as NO_COLOR does)')
    .showSuggestionAfterError(true)
    .helpCommand(true)
    .addHelpText(
      'after',
      examplesText([
        { command: 'oxherd --lab apply', does: 'build the cluster of oxherd.yaml on the embedded lab' },
        { command: 'oxherd plan', does: 'what would change on the real Proxmox' },
      ]),
    );
  quieten(program, process);
  for (const spec of COMMANDS) addCommand(program, spec, process, run);
  return program;
}

function addCommand(
  parent: Command,
  spec: LoadableCommand,
  process: Process,
  run: (spec: LoadableCommand, command: Command) => Promise<void>,
): void {
  const command = parent
    .command(spec.name)
    .summary(spec.summary)
    .description(spec.details ?? spec.summary);
  quieten(command, process);
  for (const arg of spec.args ?? []) command.argument(arg.name, arg.description);
  for (const option of spec.options ?? []) {
    const made = new Option(option.flags, option.description);
    if (option.default !== undefined) made.default(option.default);
    if (option.choices) made.choices(option.choices);
    command.addOption(made);
  }
  command.addHelpText('after', examplesText(spec.examples));
  for (const child of spec.children ?? []) addCommand(command, child, process, run);
  if (spec.load) command.action(async () => run(spec, command));
}

/** Errors by exception, text through our own streams. */
function quieten(command: Command, process: Process): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => process.stdout.write(text),
    writeErr: (text) => process.stderr.write(text),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}

function examplesText(examples: CommandSpec['examples']): string {
  const width = Math.max(...examples.map((example) => example.command.length));
  const lines = examples.map((example) => `  ${example.command.padEnd(width)}  ${example.does}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

function contextOf(process: Process, command: Command): CliContext {
  const given = command.optsWithGlobals<{
    config: string;
    lab: boolean;
    labProfile?: string;
    fault: string[];
    json: boolean;
    color: boolean;
  }>();
  const { env } = process;
  const globals: GlobalOptions = {
    config: given.config,
    lab: given.lab,
    ...(given.labProfile !== undefined && { labProfile: given.labProfile }),
    faults: given.fault,
    json: given.json,
    color:
      given.color &&
      !given.json &&
      !env.NO_COLOR &&
      (process.stdout.isTTY === true || Boolean(env.FORCE_COLOR)),
  };
  const { cwd, stdin, stdout, stderr, signal } = process;
  return { cwd, env, stdin, stdout, stderr, globals, commands: COMMANDS, signal };
}
