import { readFileSync } from 'node:fs';
import type { Config } from '../../../config/config.js';
import { editSize } from '../../../config/edit/edit-size.js';
import { formatPath } from '../../../config/yaml/position.js';
import { design as designCluster } from '../../../design/design-cluster.js';
import { OxherdError } from '../../../model/error.js';
import { formatSize } from '../../../model/size.js';
import { checkEdited, editableConfig, replaceFile } from '../../../session/config/edit-config-file.js';
import { acceptedSize } from '../../../session/plan/index.js';
import type { CommandSpec } from '../../command-spec.js';
import { confirm } from '../../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { withSession } from '../../with-session.js';
import { YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'accept-size',
  summary: 'write the size of a disk resized outside oxherd into oxherd.yaml',
  args: [{ name: '<name>', description: 'the volume as `volumes list` shows it', names: 'volumes' }],
  options: [YES],
  json: 'one document: volume, old and new size',
  examples: [
    {
      command: 'oxherd volumes accept-size work-1/longhorn',
      does: 'shows the change, asks, and leaves the rest of oxherd.yaml unchanged',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const name = args[0] ?? '';
  const path = editableConfig(context, 'volumes.foreign-file', 'edit the size in it');
  const accepted = await withSession(context, async (session) => {
    const { design, observed } = await session.gather({ machines: false });
    return { ...acceptedSize(design, observed, name), config: session.config };
  });
  const before = readFileSync(path, 'utf8');
  const { edited, path: key } = editSize(before, accepted.key, accepted.to);
  const config = checkEdited(path, edited, {
    code: 'volumes.config',
    message: 'with this size the config is not valid',
    advice: 'nothing was written; correct the errors',
  });
  const changed = sizesChanged(accepted.config, config);
  const [own] = changed.filter((change) => change.name === name);
  if (own?.to !== accepted.to) {
    throw new OxherdError('volumes.config', `\`${formatPath(key)}\` does not decide the size of ${name}`, {
      advice: `set the size to ${formatSize(accepted.to)} in oxherd.yaml`,
    });
  }
  const others = changed.filter((change) => change.name !== name).map((change) => change.name);
  const summary = `${formatPath(key)}: ${formatSize(accepted.from)} → ${formatSize(accepted.to)}`;
  const also = others.length === 0 ? '' : `; the next apply grows ${others.join(', ')} to it as well`;
  const question = `Write ${summary} into ${context.globals.config}${also}?`;
  const hint = `run \`oxherd volumes accept-size ${name} --yes\``;
  if (options.yes !== true && !(await confirm(context, question, hint))) return EXIT.done;
  replaceFile(path, { before, after: edited });
  const result = { name, key: formatPath(key), from: accepted.from, to: accepted.to, others };
  context.stdout.write(
    context.globals.json ? `${JSON.stringify(result, null, 2)}\n` : `${summary}${also}\nNow: oxherd plan\n`,
  );
  return EXIT.done;
}

/** Disks and CSI volumes whose size is another one with the edited file. */
function sizesChanged(before: Config, after: Config): { readonly name: string; readonly to: number }[] {
  const old = sizesOf(before);
  return [...sizesOf(after)].filter(([name, to]) => old.get(name) !== to).map(([name, to]) => ({ name, to }));
}

function sizesOf(config: Config): Map<string, number> {
  const { nodes, csiVolumes } = designCluster(config);
  return new Map([
    ...nodes.flatMap((node) =>
      node.drives.map((drive) => [`${node.name}/${drive.name}`, drive.size] as const),
    ),
    ...csiVolumes.map((volume) => [volume.name, volume.size] as const),
  ]);
}
