/** A picture of the design, or of what is there. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { design } from '../../../design/design-cluster.js';
import { mermaid } from '../../../export/mermaid.js';
import { type Picture, pictureOf } from '../../../export/picture/picture.js';
import { svg, type Theme } from '../../../export/svg.js';
import { OxherdError } from '../../../model/error.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'graph',
  summary: 'a picture of hosts, VMs, disks and volumes',
  options: [
    {
      flags: '--format <format>',
      description: 'kind of picture',
      choices: ['mermaid', 'svg'],
      default: 'mermaid',
    },
    { flags: '--out <file>', description: 'file to write; stdout otherwise' },
    {
      flags: '--live',
      description:
        'of what is there, with the state and health of each VM, parked and CSI volumes, planned moves',
    },
    {
      flags: '--theme <theme>',
      description: 'colours of the SVG; by default what the reader prefers',
      choices: ['auto', 'light', 'dark'],
      default: 'auto',
    },
  ],
  json: '`{ format, picture, text }`, or `{ file }` with `--out`',
  examples: [
    { command: 'oxherd graph', does: 'prints mermaid text for a README' },
    {
      command: 'oxherd graph --format svg --out cluster.svg',
      does: 'writes a picture; needs no other program',
    },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const picture = options.live === true ? await livePicture(context) : filePicture(context);
  const text = options.format === 'svg' ? svg(picture, themeOf(options.theme)) : mermaid(picture);
  if (typeof options.out !== 'string') {
    context.stdout.write(
      context.globals.json ? `${JSON.stringify({ format: options.format, picture, text }, null, 2)}\n` : text,
    );
    return EXIT.done;
  }
  const file = resolve(context.cwd, options.out);
  try {
    writeFileSync(file, text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OxherdError('graph.unwritable', `cannot write ${options.out}: ${reason}`, {
      where: file,
      cause,
    });
  }
  context.stdout.write(context.globals.json ? `${JSON.stringify({ file })}\n` : `wrote ${options.out}\n`);
  return EXIT.done;
}

function filePicture(context: CliContext): Picture {
  const { config } = requireConfig(context);
  return pictureOf(config, design(config));
}

function livePicture(context: CliContext): Promise<Picture> {
  return withSession(context, async (session) => {
    const { design: wanted, observed, nodes } = await session.status();
    // Without a plan, for example while a run is under way, the picture shows no planned changes.
    const prepared = await session.plan().catch((error: unknown) => {
      if (!(error instanceof OxherdError)) throw error;
      return undefined;
    });
    const { csiVolumes } = prepared?.design ?? wanted;
    return pictureOf(session.config, { ...wanted, csiVolumes }, observed, {
      nodes: new Map(nodes.map(({ node, health, etcd }) => [node, { health, ...(etcd && { etcd }) }])),
      ...(prepared && { steps: prepared.plan.steps }),
    });
  });
}

function themeOf(value: unknown): Theme {
  return value === 'light' || value === 'dark' ? value : 'auto';
}
