/** Writes a commented oxherd.yaml from the config of another tool: the Terraform module, the template, talhelper, topf. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hoistDefaults } from '../../../config/convert/hoist-defaults.js';
import { movePaths } from '../../../config/convert/move-paths.js';
import { writeCommentedYaml } from '../../../config/convert/write-yaml.js';
import { loadConfig } from '../../../config/load.js';
import { OxherdError } from '../../../model/error.js';
import { type ReadResult, readForeignConfig, textsIn } from '../../../session/config/read-config.js';
import {
  fitToRunningCluster,
  type RunningCluster,
} from '../../../session/from-cluster/describe-running-cluster.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { keepSecrets } from '../../init-from-cluster.js';
import { requireConfig } from '../../require-config.js';
import { tellRunningCluster } from '../../views/running-cluster.js';

export const command: CommandSpec = {
  name: 'convert',
  summary: 'write an oxherd.yaml from the config of the Terraform module, the template, talhelper or topf',
  args: [
    {
      name: '[file]',
      description: 'such as terraform.tfvars, talconfig.yaml or a folder; by default what `-c` names',
    },
  ],
  options: [
    {
      flags: '--out <file>',
      description: 'file to write, - for stdout; oxherd.yaml beside the source otherwise',
    },
    { flags: '--live', description: 'fit it to the running cluster: MACs, patches, secrets; reads only' },
    {
      flags: '--talosconfig <file>',
      description: 'with --live; default: $TALOSCONFIG, or output/talos-config.yaml',
    },
    { flags: '--force', description: 'overwrite an existing file' },
  ],
  json: '`{ file }`; with `--live` `{ file, nodes, patches, different, notes }`',
  examples: [
    { command: 'oxherd -c terraform.tfvars convert', does: 'writes oxherd.yaml beside it' },
    {
      command: 'oxherd -c terraform.tfvars convert --live',
      does: 'until the designed machine configs are those of the machines',
    },
    { command: 'oxherd convert talconfig.yaml', does: 'from talhelper, with placeholders for Proxmox' },
    { command: 'oxherd -c base.tfvars,prod.tfvars convert --out prod.yaml', does: 'reads several files' },
    {
      command: 'oxherd -c cluster-template/ convert --out -',
      does: 'from cluster.yaml and nodes.yaml, to stdout',
    },
  ],
};

export async function run(given: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [file] = args;
  const context =
    file === undefined ? given : { ...given, configPath: file, globals: { ...given.globals, config: file } };
  const source = readForeignConfig(context);
  if (source.config && source.raw === undefined) {
    throw new OxherdError('convert.nothing', `${context.globals.config} is an oxherd.yaml already`, {
      advice:
        'name a .tfvars file, a folder with cluster.yaml and nodes.yaml, or a talconfig.yaml: `oxherd convert FILE`',
    });
  }
  // Prints what there is to say, and gives up where the source has errors.
  const loaded = requireConfig(context, () => source);
  const running =
    options.live === true
      ? await readRunning(context, { ...loaded, raw: source.raw ?? {} }, options)
      : undefined;
  const config = running?.config ?? loaded.config;
  const toStdout = options.out === '-';
  const target = toStdout
    ? resolve(source.directory, 'oxherd.yaml')
    : options.out === undefined
      ? resolve(source.directory, 'oxherd.yaml')
      : resolve(context.cwd, String(options.out));
  const text = convertedText(context, running ? { ...source, raw: running.raw } : source, dirname(target));
  verify(text, target, config, source.directory);
  if (toStdout) {
    context.stdout.write(text);
    return EXIT.done;
  }
  const shown = relative(context.cwd, target) || target;
  if (existsSync(target) && options.force !== true) {
    throw new OxherdError('convert.exists', `${shown} is there already`, {
      where: target,
      advice: 'name another file with `--out FILE`, or overwrite it with `--force`',
    });
  }
  write(target, shown, text);
  if (running) {
    await keepSecrets(context, running);
    tellRunningCluster(context, shown, running);
    return running.different.length > 0 ? EXIT.failed : EXIT.done;
  }
  if (context.globals.json) context.stdout.write(`${JSON.stringify({ file: target })}\n`);
  else context.stdout.write(`wrote ${shown}; it loads to the same cluster\n`);
  return EXIT.done;
}

/** The machines and VMs of the cluster that the config made. */
function readRunning(
  context: CliContext,
  source: Parameters<typeof fitToRunningCluster>[1],
  options: CommandInput['options'],
): Promise<RunningCluster> {
  const talosconfig = String(options.talosconfig ?? context.env.TALOSCONFIG ?? 'output/talos-config.yaml');
  return fitToRunningCluster(context, source, talosconfig, textsIn(source.directory));
}

function convertedText(context: CliContext, source: ReadResult, folder: string): string {
  const move = (path: string) =>
    path.startsWith('/') ? path : relative(folder, resolve(source.directory, path)) || path;
  return writeCommentedYaml({
    raw: hoistDefaults(movePaths(source.raw ?? {}, move)),
    header: [
      `Written by \`oxherd convert\` from ${context.globals.config}.`,
      'Comments say where a value comes from.',
      ...(source.remarks ?? []),
    ],
    wasCalled: source.wasCalled ?? new Map(),
    comments: source.comments ?? new Map(),
  });
}

/** The new file must mean what the old one meant; only paths are written differently. */
function verify(text: string, target: string, config: ReadResult['config'], sourceFolder: string): void {
  const folder = dirname(target);
  const again = loadConfig({ path: target, text, readText: textsIn(folder) });
  const same = again.config && (folder !== sourceFolder || isDeepStrictEqual(again.config, config));
  if (same) return;
  const reason = again.diagnostics.find((diagnostic) => diagnostic.severity === 'error')?.message;
  throw new OxherdError(
    'convert.differs',
    `what would be written does not mean the same${reason ? `: ${reason}` : ''}`,
    {
      advice: 'please report it and attach your config; nothing was written',
    },
  );
}

function write(target: string, shown: string, text: string): void {
  try {
    writeFileSync(target, text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OxherdError('convert.unwritable', `cannot write ${shown}: ${reason}`, { where: target, cause });
  }
}
