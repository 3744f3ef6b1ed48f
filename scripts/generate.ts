/**
 * Makes all generated code anew:
 *
 *     npm run generate -- --pve-api API.json --pve-formats FORMATS.json
 *
 * What comes from this checkout and its packages is always made. What needs an input that is not part of it is left as it
 * is unless the input is given: the description of the Proxmox VE API and of its formats, and Go with Talos' own types.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FLAGS = ['pve-api', 'pve-formats'] as const;

const { values } = parseArgs({
  options: Object.fromEntries(FLAGS.map((flag) => [flag, { type: 'string' as const }])),
});

interface Generator {
  readonly makes: string;
  readonly command: readonly string[];
  /** Files that must be given, by their flags. */
  readonly needs?: readonly (typeof FLAGS)[number][];
  /** A program that must be there. */
  readonly program?: string;
}

const GENERATORS: readonly Generator[] = [
  { makes: 'src/clients/talos/gen', command: ['npx', 'buf', 'generate'] },
  {
    makes: 'src/lab/proxmox/gen and src/clients/proxmox/gen',
    command: ['npx', 'tsx', 'scripts/generate-pve.ts'],
    needs: ['pve-api', 'pve-formats'],
  },
  { makes: 'src/formats/gen', command: ['node', 'test/conformance/shapes.mjs'], program: 'go' },
  {
    makes: 'src/lab/kubernetes/gen',
    command: ['npx', 'tsx', 'scripts/generate-kubernetes-fields.ts'],
    program: 'go',
  },
  {
    makes: 'package.json, deploy, src/cli/gen, docs/cli.md and docs/troubleshooting.md',
    command: ['npx', 'tsx', 'scripts/generate-publisher.ts'],
  },
  { makes: 'docs/config.md', command: ['npx', 'tsx', 'scripts/generate-config-docs.ts'] },
];

/** Why it cannot be made here; `undefined` where it can. */
function missing({ needs = [], program }: Generator): string | undefined {
  const flags = needs.filter((flag) => values[flag] === undefined);
  if (flags.length > 0) return `not given: ${flags.map((flag) => `--${flag}`).join(', ')}`;
  if (program && spawnSync(program, ['version']).status !== 0) return `there is no ${program} here`;
  return undefined;
}

/** Paths are of the folder that the command was called in. */
function inputs({ needs = [] }: Generator): string[] {
  const here = process.env.INIT_CWD ?? process.cwd();
  return needs.flatMap((flag) => {
    const value = values[flag];
    return typeof value === 'string' ? [resolve(here, value)] : [];
  });
}

for (const generator of GENERATORS) {
  const why = missing(generator);
  if (why) {
    console.log(`left    ${generator.makes}  (${why})`);
    continue;
  }
  const [command = '', ...args] = generator.command;
  const { status } = spawnSync(command, [...args, ...inputs(generator)], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`failed  ${generator.makes}`);
    process.exit(status ?? 1);
  }
  console.log(`made    ${generator.makes}`);
}
