/**
 * Replays recorded exchanges against a lab in this process:
 *
 *     npx tsx test/recordings/proxmox-replay.ts [--more] [--fast] [--verbose] [pools tasks …]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { type Lab, startLab } from '../../src/lab/index.js';
import { findProfile } from '../../src/lab/profiles/profiles.js';

const FOLDER = fileURLToPath(new URL('./fixtures/proxmox/', import.meta.url));
/** Lab seconds per second: tasks and the waits for a guest end between two polls of the replay. */
export const SPEED = 300;
/** The HA manager looks every ten seconds of lab time: a scenario may ask several things before it acts. */
export const HA_SPEED = 20;
/** Needs a login that is given to the replay at its start and is good for two hours, which pass fast. */
const FIRST = 'root-only.json';

const resultFile = z.object({
  same: z.number(),
  different: z.number(),
  results: z.array(
    z.object({
      scenario: z.string(),
      exchange: z.string().optional(),
      same: z.boolean().optional(),
      skipped: z.array(z.string()).optional(),
      differences: z
        .array(
          z.object({ path: z.string(), expected: z.unknown().optional(), actual: z.unknown().optional() }),
        )
        .optional(),
    }),
  ),
});
export type ReplayResult = z.infer<typeof resultFile> & { readonly output: string };

export function scenarioFiles(names: readonly string[] = [], folder = 'scenarios'): string[] {
  const files = readdirSync(join(FOLDER, folder)).sort(
    (a, b) => Number(b === FIRST) - Number(a === FIRST) || (a < b ? -1 : 1),
  );
  const wanted =
    names.length === 0 ? files : files.filter((file) => names.includes(file.replace('.json', '')));
  return wanted.map((file) => join(FOLDER, folder, file));
}

export function startRecordingsLab(profile = 'recordings', speed = SPEED): Promise<Lab> {
  const world = findProfile(profile)?.world([]);
  if (!world) throw new Error(`no profile ${profile}`);
  return startLab({ world, speed });
}

/** The replay runs in a process of its own, as any client does. */
export async function replay(
  lab: Pick<Lab, 'endpoint' | 'token' | 'rootLogin'>,
  files: readonly string[],
  options: { verbose?: boolean; hook?: string; echo?: boolean } = {},
): Promise<ReplayResult> {
  const scratch = mkdtempSync(join(tmpdir(), 'oxherd-replay-'));
  const out = join(scratch, 'result.json');
  const root = lab.rootLogin();
  const args = [
    join(FOLDER, 'replay.mjs'),
    ...['--base', `${lab.endpoint}/api2/json`, '--insecure', '--token', lab.token, '--json', out],
    ...['--env', 'nopause=1', '--env', `rootpam.ticket=${root.ticket}`, '--env', `rootpam.csrf=${root.csrf}`],
    ...(options.verbose ? ['--verbose'] : []),
    ...(options.hook ? ['--hook', options.hook] : []),
    ...files,
  ];
  try {
    const output = await run(args, options.echo ?? false);
    return { ...resultFile.parse(JSON.parse(readFileSync(out, 'utf8'))), output };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(args: readonly string[], echo: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (echo) process.stdout.write(chunk);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => (code === 2 ? reject(new Error(output)) : resolve(output)));
  });
}

async function main(argv: readonly string[]): Promise<void> {
  const names = argv.filter((argument) => !argument.startsWith('--'));
  const more = argv.includes('--more');
  const speed = argv.includes('--fast') ? SPEED : HA_SPEED;
  const lab = await (more ? startRecordingsLab('recordings-more', speed) : startRecordingsLab());
  const files = scenarioFiles(names, more ? 'scenarios-more' : 'scenarios');
  const result = await replay(lab, files, { verbose: argv.includes('--verbose'), echo: true });
  for (const { error, request } of lab.proxmox.bugs()) console.error(request, error);
  await lab.stop();
  process.exitCode = result.different === 0 ? 0 : 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(process.argv.slice(2));
}
