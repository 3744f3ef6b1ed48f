/** The dashboard: a page in a browser of this computer, until Ctrl-C. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import type { Dashboard } from '../../../dashboard/server/serve.js';
import { isSensitiveKey } from '../../../formats/redact/redact-text.js';
import { issueText } from '../../../formats/text/issue-text.js';
import { OxherdError } from '../../../model/error.js';
import { untilAborted } from '../../../model/until-aborted.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { withUserFlags } from '../../own-commands.js';
import { requireConfig } from '../../require-config.js';

export const command: CommandSpec = {
  name: 'ui',
  summary: 'see clusters in a browser: map, plan, runs as they happen, health, volumes, capacity',
  details:
    'Serves a page on 127.0.0.1 until Ctrl-C. It only reads, unless --write lets it apply a plan and write oxherd.yaml; it never destroys data. Name several configs to see several clusters.',
  args: [{ name: '[config...]', description: 'configs of the clusters to show; default: the one of -c' }],
  options: [
    { flags: '--port <n>', description: 'port of the page; 0 for one that is free', default: '0' },
    { flags: '--write', description: 'allow the page to apply a plan and to write oxherd.yaml' },
    { flags: '--no-open', description: 'do not open a browser' },
    { flags: '--refresh <seconds>', description: 'how often clusters are read', default: '10' },
    { flags: '--speed <x>', description: 'with --lab: lab seconds per second', default: '10' },
  ],
  json: '`{ url, port, write }`, once it serves; the URL holds the token that lets a browser in',
  examples: [
    { command: 'oxherd ui', does: 'opens the page; everything on it only reads' },
    { command: 'oxherd --lab ui --write', does: 'on the embedded lab, with runs started from the page' },
    { command: 'oxherd ui prod.yaml dev.yaml', does: 'shows two clusters' },
  ],
};

/** Shorter values are words. */
const LEAST_SECRET = 8;

const optionsSchema = z.object({
  port: z.coerce.number().int().min(0).max(65_535),
  write: z.boolean().default(false),
  open: z.boolean(),
  refresh: z.coerce.number().min(1).max(3_600),
  speed: z.coerce.number().positive().max(100_000),
});

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const { port, write, open, refresh, speed } = readOptions(options);
  const names = args.length > 0 ? args : [context.globals.config];
  const contexts = names.map((config) => ({
    ...context,
    configPath: config,
    globals: { ...context.globals, config },
  }));
  // Errors of a config are told here where there is only one; of several, the page shows which one it is.
  const [first = context] = contexts;
  const loaded = requireConfig(first);
  const [{ serveDashboard }, { packageVersion, pageAssets }, { shareLab }] = await Promise.all([
    import('../../../dashboard/server/serve.js'),
    import('../../../dashboard/server/assets.js'),
    import('../../../session/lab/share-lab.js'),
  ]);
  const assets = pageAssets();
  const lab = await shareLab(context, loaded, speed);
  try {
    const dashboard = await serveDashboard({
      assets,
      write,
      port,
      refreshMs: refresh * 1_000,
      version: packageVersion(),
      secrets: secretsIn(context.env),
      sources: contexts.map((one) => ({
        cwd: one.cwd,
        env: one.env,
        target: one.target,
        configPath: one.configPath,
        command: (text) => withUserFlags(one, text),
      })),
    });
    await announce(context, dashboard, { write, open });
    await untilAborted(context.signal);
    await dashboard.close(context.signal.reason);
  } finally {
    await lab.close();
  }
  return EXIT.done;
}

/** What must not be on any page, whatever brings it along. */
function secretsIn(env: CliContext['env']): string[] {
  return Object.entries(env).flatMap(([name, value = '']) =>
    isSensitiveKey(name) && value.length >= LEAST_SECRET ? [value, value.replace(/^[^=]*=/, '')] : [],
  );
}

function readOptions(options: CommandInput['options']): z.infer<typeof optionsSchema> {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = `--${String(issue?.path[0])}`;
  const reason = issueText({ path: [flag], message: issue?.message ?? 'not valid' });
  throw new OxherdError('cli.ui', `an option cannot be used: ${reason}`, {
    advice: 'see `oxherd ui --help`',
  });
}

async function announce(
  context: CliContext,
  { url, port }: Dashboard,
  { write, open }: { readonly write: boolean; readonly open: boolean },
): Promise<void> {
  if (context.globals.json) {
    context.stdout.write(`${JSON.stringify({ url, port, write })}\n`);
    return;
  }
  const mode = write
    ? 'It may apply plans and write oxherd.yaml.'
    : 'It only reads; --write lets it apply plans.';
  context.stdout.write(`Dashboard  ${url}\n${mode} Ctrl-C ends it.\n`);
  if (open && context.stdout.isTTY === true) await openBrowser(context, url);
}

/** Through a file of ours: what a process is started with, everyone on this computer can read. */
async function openBrowser({ cwd, env }: CliContext, url: string): Promise<void> {
  const file = join(cwd, '.oxherd', 'ui.html');
  await replacePrivateFile(
    file,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>oxherd</title>\n`,
  );
  const program =
    process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open';
  const child = spawn(program, [file], { stdio: 'ignore', detached: true, env: { ...env } });
  // No browser here: the address is on the screen.
  child.on('error', () => undefined);
  child.unref();
}
