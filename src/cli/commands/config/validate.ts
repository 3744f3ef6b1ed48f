/** Checks the config alone, patches and fragments included. */
import type { Config } from '../../../config/config.js';
import { hasErrors, sortDiagnostics } from '../../../config/diagnostics.js';
import { designProblems } from '../../../session/config/design-problems.js';
import { type ReadResult, readConfig } from '../../../session/config/read-config.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, EXIT, type ExitCode } from '../../context.js';
import { printDiagnostics } from '../../views/diagnostics.js';

export const command: CommandSpec = {
  name: 'validate',
  summary: 'check the config alone; every problem with its place',
  json: '`{ file, valid, summary?, diagnostics: [{ severity, code, message, file, line, column }] }`',
  examples: [
    { command: 'oxherd validate', does: 'checks oxherd.yaml in this folder' },
    {
      command: 'oxherd -c examples/homelab/oxherd.yaml validate --json',
      does: 'prints the problems as JSON',
    },
  ],
};

export async function run(context: CliContext): Promise<ExitCode> {
  const { config, diagnostics } = check(readConfig(context));
  const errors = diagnostics.filter((d) => d.severity === 'error').length;
  if (context.globals.json) {
    const document = {
      file: context.globals.config,
      valid: config !== undefined,
      ...(config && { summary: countsOf(config) }),
      diagnostics,
    };
    context.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return config ? EXIT.done : EXIT.failed;
  }
  printDiagnostics(context, diagnostics);
  if (!config) {
    context.stderr.write(`\n${context.globals.config} has ${plural(errors, 'error')}\n`);
    return EXIT.failed;
  }
  context.stdout.write(`${context.globals.config} is valid: ${summaryOf(config)}\n`);
  return EXIT.done;
}

/** No config where anything is wrong with it. */
function check({ config, diagnostics, placeOf }: ReadResult): Pick<ReadResult, 'config' | 'diagnostics'> {
  if (!config || !placeOf) return { diagnostics };
  const all = sortDiagnostics([...diagnostics, ...designProblems(config, placeOf)]);
  return hasErrors(all) ? { diagnostics: all } : { config, diagnostics: all };
}

function countsOf(config: Config) {
  const controlPlanes = config.nodes.filter((node) => node.role === 'controlplane').length;
  return { controlPlanes, workers: config.nodes.length - controlPlanes, volumes: config.volumes.length };
}

function summaryOf(config: Config): string {
  const { controlPlanes, workers, volumes } = countsOf(config);
  return [plural(controlPlanes, 'control plane'), plural(workers, 'worker'), plural(volumes, 'volume')].join(
    ', ',
  );
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
