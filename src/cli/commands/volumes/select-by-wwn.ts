import { readFileSync } from 'node:fs';
import { withoutDiskSelectors } from '../../../config/edit/disk-selectors.js';
import { formatPath } from '../../../config/yaml/position.js';
import { drivesWithoutIdentity } from '../../../design/disk-identity.js';
import { OxherdError } from '../../../model/error.js';
import { checkEdited, editableConfig, replaceFile } from '../../../session/config/edit-config-file.js';
import type { Gathered } from '../../../session/session.js';
import type { CommandSpec } from '../../command-spec.js';
import { confirm } from '../../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { withUserFlags } from '../../own-commands.js';
import { withSession } from '../../with-session.js';
import { YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'select-by-wwn',
  summary: 'take patches that select disks by size or path out of oxherd.yaml, once every disk has its WWN',
  options: [YES],
  examples: [
    {
      command: 'oxherd volumes select-by-wwn',
      does: 'after an adoption: names the patches, asks, and leaves the rest of oxherd.yaml unchanged',
    },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const path = editableConfig(context, 'volumes.foreign-file', 'take the patches out of it');
  await withSession(context, async (session) => requireIdentities(await session.gather()));
  const before = readFileSync(path, 'utf8');
  const { text, changed } = withoutDiskSelectors(before);
  const places = changed.map(formatPath);
  const tell = (words: string) =>
    context.stdout.write(
      context.globals.json ? `${JSON.stringify({ changed: places }, null, 2)}\n` : `${words}\n`,
    );
  if (places.length === 0) {
    tell('No changes. No patch in oxherd.yaml selects a disk.');
    return EXIT.done;
  }
  checkEdited(path, text, {
    code: 'volumes.config',
    message: 'without these patches the config is not valid',
    advice: 'nothing was written; correct the errors',
  });
  const question = `Take disk selectors out of ${places.join(', ')} in ${context.globals.config}?`;
  const agreed =
    options.yes === true || (await confirm(context, question, 'run `oxherd volumes select-by-wwn --yes`'));
  if (!agreed) return EXIT.done;
  replaceFile(path, { before, after: text });
  tell(withUserFlags(context, `Disk selectors taken out of ${places.join(', ')}\nNow: \`oxherd plan\``));
  return EXIT.done;
}

/** A config that selects by WWN finds no disk on a machine that sees none. */
function requireIdentities({ design, observed }: Gathered): void {
  for (const { name, drives } of design.nodes) {
    const details = observed.machines[name]?.details;
    const bare = details?.known ? drivesWithoutIdentity(drives, details.value.volumes) : [];
    if (details?.known && bare.length === 0) continue;
    throw new OxherdError(
      'volumes.no-identity',
      details?.known
        ? `${bare.map((drive) => drive.name).join(', ')} of ${name} ${bare.length === 1 ? 'has' : 'have'} no WWN in the guest yet`
        : `${name} does not tell which disks it has: ${details?.why ?? 'it does not answer'}`,
      {
        advice: details?.known
          ? `stop and start its VM first: oxherd restart ${name}`
          : 'bring it back first; nothing was written',
      },
    );
  }
}
