/** The scripts as shells read them; bash is on every system that the tests run on. */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testContext } from '../../../../test/support/cli/context.js';
import { COMMANDS } from '../../gen/command-table.js';
import { run } from './completion.js';

async function script(shell: string): Promise<string> {
  const { context, stdout } = testContext(tmpdir());
  expect(await run({ ...context, commands: COMMANDS }, { args: [shell], options: {} })).toBe(0);
  return stdout();
}

const bash = await script('bash');

/** What bash offers for the last word. */
function offers(...words: string[]): string[] {
  const call = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _oxherd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-c', `${bash}\n${call}`, 'bash', 'oxherd', ...words], {
    encoding: 'utf8',
  });
  return output.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  it.each<[string[], string[]]>([
    [['va'], ['validate']],
    [['export', 'q'], ['qm']],
    [['-c', 'other.yaml', '--lab', 'val'], ['validate']],
    [['lab', 'serve', '--po'], ['--port']],
    [['graph', '--out', 'cluster.svg', '--the'], ['--theme']],
    [
      ['graph', '--format', ''],
      ['mermaid', 'svg'],
    ],
    [['graph', '--format', 's'], ['svg']],
    [
      ['volumes', 'delete', 'work-1/old', '--con'],
      ['--confirm', '--config'],
    ],
    [['completion', 'z'], ['zsh']],
  ])('of %j is %j', (words, expected) => {
    expect(offers(...words)).toEqual(expected);
  });

  it('knows every command', () => {
    expect(offers('')).toEqual(expect.arrayContaining(COMMANDS.map(({ name }) => name)));
  });

  it('gives fish what each place takes', async () => {
    const fish = await script('fish');
    expect(fish).toContain("complete -c oxherd -f -n '__fish_use_subcommand' -a validate -d ");
    expect(fish).toMatch(/-n '__fish_seen_subcommand_from graph' -l format -x -a 'mermaid svg' -d /);
    expect(await script('zsh')).toContain('bashcompinit');
  });

  it('asks the command for names of the config, with the config that was named', () => {
    const command = 'oxherd() { echo "asked $*" | tr " " "\\n"; }';
    const call = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _oxherd; echo "\${COMPREPLY[*]}"`;
    const words = ['oxherd', '-c', 'dev.yaml', 'replace', ''];
    const script = `${bash}\n${command}\n${call}`;
    const output = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
    expect(output).toMatch(/^asked -c dev\.yaml completion nodes /);
  });

  it('prints names of nodes, hosts and volumes', async () => {
    const config = fileURLToPath(new URL('../../../../examples/homelab/oxherd.yaml', import.meta.url));
    const names = async (kind: string) => {
      const { context, stdout } = testContext(dirname(config), { config });
      await run({ ...context, configPath: config }, { args: [kind], options: {} });
      return stdout().trim().split('\n');
    };
    expect(await names('nodes')).toEqual(['cp-1', 'cp-2', 'cp-3', 'work-1', 'work-2', 'work-3']);
    expect(await names('hosts')).toEqual(['pve1', 'pve2', 'pve3']);
    expect(await names('volumes')).toEqual(expect.arrayContaining(['work-1/longhorn', 'pv-photos']));
  });

  it('says which shells there are', async () => {
    const { context } = testContext(tmpdir());
    await expect(run(context, { args: ['tcsh'], options: {} })).rejects.toMatchObject({
      advice: 'use bash, zsh or fish',
    });
  });
});
