/**
 * Room `cli`: the command line: commands and views.
 * May touch: the terminal, the session, files that commands name.
 *
 * Reads the command line, loads the one command it names, and turns whatever happens into an exit code.
 */
import { Command, CommanderError, Option } from 'commander';
import { OxherdError } from '../model/error.js';
import { KUBERNETES_KINDS, type KubernetesKind } from '../model/kubernetes-kind.js';
import { UncaughtError } from '../model/uncaught-error.js';
import type { LabTarget, Target } from '../session/context.js';
import type { CommandSpec, LoadableCommand, OptionSpec } from './command-spec.js';
import { GLOBAL_OPTIONS } from './commands/global-options.js';
import {
  type CliContext,
  EXIT,
  type ExitCode,
  type GlobalOptions,
  Interrupted,
  type LogSettings,
} from './context.js';
import { COMMANDS } from './gen/command-table.js';
import { printError } from './views/error.js';
import { logSettings, messageView, tell } from './views/message.js';
import { cleanStream } from './views/terminal-text.js';

const HELP_ADVICE = '`oxherd --help` lists commands, `oxherd COMMAND --help` flags and examples';

/** On every output of the lab: what is shown is not a real system. */
export const LAB_MARK = 'LAB  simulated Proxmox, Talos and Kubernetes: no real system is touched\n';

interface Process {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: CliContext['stdin'];
  readonly stdout: CliContext['stdout'];
  readonly stderr: CliContext['stderr'];
  readonly signal: AbortSignal;
  /** Aborted once nothing reads stdout any more. */
  readonly outputClosed?: AbortSignal;
  readonly version: string;
  /** The lab of `--lab` where the caller has one already, to look into while a command runs. */
  readonly openLab?: LabTarget['open'];
}

export async function runApp(given: Process): Promise<ExitCode> {
  const process: Process = {
    ...given,
    stdout: cleanStream(given.stdout, wantsJson(given)),
    stderr: cleanStream(given.stderr, false),
  };
  let result: ExitCode = EXIT.done;
  const run = async (spec: LoadableCommand, command: Command): Promise<void> => {
    const { kind, version } = kubernetesFlag(spec, command);
    const context = contextOf(process, command, kind);
    if (context.globals.lab && context.globals.log?.format === 'json')
      tell(context, 'warn', '', { message: LAB_MARK.trim() });
    else if (context.globals.lab) context.stderr.write(LAB_MARK);
    const { run: runCommand } = await (spec.load as NonNullable<LoadableCommand['load']>)();
    try {
      result = await runCommand(context, {
        args: command.args,
        options: { ...command.opts(), ...(version !== undefined && { kubernetes: version }) },
      });
    } catch (error) {
      result = EXIT.interrupted;
      if (!process.signal.aborted && !(error instanceof Interrupted)) {
        printError(context, OxherdError.from(error));
        result = EXIT.failed;
      }
    }
    // Whatever the command made of it: it was stopped by a bug.
    const uncaught = UncaughtError.in(process.signal);
    if (!uncaught) return;
    printError(context, uncaught);
    result = EXIT.failed;
  };

  const program = buildProgram(process, run);
  if (process.argv.length === 0) {
    program.outputHelp();
    return EXIT.done;
  }
  try {
    await program.parseAsync([...process.argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end the parsing too; commander has printed what there is to print.
    if (error.exitCode === 0) return EXIT.done;
    if (wantsJson(process)) process.stdout.write(`${JSON.stringify(usageError(error))}\n`);
    return EXIT.failed;
  }
  return result;
}

/** Before the flags are parsed, and where they cannot be. */
function wantsJson({ argv }: Process): boolean {
  return argv.includes('--json');
}

function usageError({ message }: CommanderError) {
  const text = message === '(outputHelp)' ? 'a command is missing' : message.replace(/^error: /, '');
  return { error: { code: 'cli.usage', message: text, advice: HELP_ADVICE } };
}

function buildProgram(
  process: Process,
  run: (spec: LoadableCommand, command: Command) => Promise<void>,
): Command {
  const program = new Command('oxherd')
    .description('Builds and runs Talos Linux Kubernetes clusters on Proxmox VE from one file.')
    .version(process.version, '-V, --version', 'print the version')
    // Of the lab where it is said what kind it is; a version is for the command, which shows it in its help.
    .addOption(
      new Option('--kubernetes <kind or version>')
        .hideHelp()
        .argParser((word: string, before: readonly string[] | undefined) => [...(before ?? []), word]),
    )
    .helpCommand(true)
    .addHelpText(
      'after',
      examplesText([
        { command: 'oxherd --lab apply', does: 'build the cluster of oxherd.yaml on the embedded lab' },
        { command: 'oxherd plan', does: 'what would change on the real Proxmox' },
      ]),
    );
  quieten(program, process);
  for (const option of GLOBAL_OPTIONS) program.addOption(optionOf(option));
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
  for (const option of spec.options ?? []) command.addOption(optionOf(option));
  command.configureHelp({ showGlobalOptions: true }).addHelpText('after', examplesText(spec.examples));
  for (const child of spec.children ?? []) addCommand(command, child, process, run);
  if (spec.load) command.action(async () => run(spec, command));
}

function optionOf({ flags, description, default: value, choices, repeated }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (value !== undefined) option.default(value);
  if (choices) option.choices(choices);
  if (repeated) {
    option.argParser((word: string, before: readonly string[]) => [...before, word]).default([], 'none');
  }
  return option;
}

/** Errors by exception, text through our own streams. */
function quieten(command: Command, process: Process): void {
  command
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError(HELP_ADVICE)
    .configureOutput({
      writeOut: (text) => process.stdout.write(text),
      writeErr: (text) => wantsJson(process) || process.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

/** What an example does stands beside it, or below it where one of them is long. */
function examplesText(examples: CommandSpec['examples']): string {
  const width = Math.max(...examples.map((example) => example.command.length));
  const gap = width > 50 ? () => '\n      ' : (length: number) => ' '.repeat(width - length + 2);
  const lines = examples.map(({ command, does }) => `  ${command}${gap(command.length)}${does}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** `--kubernetes real` and `--kubernetes v1.36.1` are one flag to the parser; what was given says which is meant. */
function kubernetesFlag(
  spec: LoadableCommand,
  command: Command,
): { readonly kind?: KubernetesKind; readonly version?: string } {
  const { kubernetes = [] } = command.optsWithGlobals<{ kubernetes?: readonly string[] }>();
  const kind = KUBERNETES_KINDS.findLast((one) => kubernetes.includes(one));
  const version = kubernetes.findLast((word) => word !== 'real' && word !== 'simulated');
  const takesVersion = spec.options?.some(({ flags }) => flags.startsWith('--kubernetes '));
  if (version !== undefined && !takesVersion)
    command.error(
      `error: option '--kubernetes' of ${spec.name} is ${KUBERNETES_KINDS.join(' or ')}, not ${version}`,
    );
  return { ...(kind !== undefined && { kind }), ...(version !== undefined && { version }) };
}

function contextOf(process: Process, command: Command, kind: KubernetesKind | undefined): CliContext {
  const given = command.optsWithGlobals<{
    config: string;
    lab: boolean;
    labProfile?: string;
    labKubernetes?: KubernetesKind;
    fault: string[];
    json: boolean;
    color: boolean;
    full?: boolean;
    verbose?: boolean;
    quiet?: boolean;
    logFormat?: LogSettings['format'];
  }>();
  const { env } = process;
  const labKubernetes = given.labKubernetes ?? kind;
  const globals: GlobalOptions = {
    config: given.config,
    lab: given.lab,
    ...(given.labProfile !== undefined && { labProfile: given.labProfile }),
    ...(labKubernetes !== undefined && { labKubernetes }),
    faults: given.fault,
    json: given.json,
    full: given.full === true,
    log: logSettings(given, env),
    color:
      given.color &&
      !given.json &&
      !env.NO_COLOR &&
      (process.stdout.isTTY === true || (Boolean(env.FORCE_COLOR) && env.FORCE_COLOR !== '0')),
  };
  const { cwd, stdin, stdout, stderr, signal, outputClosed } = process;
  return {
    cwd,
    env,
    stdin,
    stdout,
    stderr,
    globals,
    commands: COMMANDS,
    signal,
    ...(outputClosed && { outputClosed }),
    configPath: globals.config,
    target: targetOf(globals, process.openLab),
    tell: messageView({ globals, stderr }),
  };
}

function targetOf(globals: GlobalOptions, open: LabTarget['open']): Target {
  if (!globals.lab) return { kind: 'proxmox' };
  const { labProfile: profile, labKubernetes: kubernetes, faults } = globals;
  return {
    kind: 'lab',
    faults,
    ...(profile !== undefined && { profile }),
    ...(kubernetes !== undefined && { kubernetes }),
    ...(open && { open }),
  };
}
