/** Readers that end before the command does, with the pipes of a real shell. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CliFolder, labFile } from '../../support/cli.js';
import { tier } from '../../support/shard.js';
import { smallFile } from '../../support/small-file.js';

const WHOLE = tier() !== 'test';
const MAIN = fileURLToPath(new URL('../../../dist/bin/oxherd.js', import.meta.url));

interface Shell {
  /** Of the first program of the pipe. */
  readonly status: number;
  readonly text: string;
}

/** `line` holds one pipe that starts with `oxherd`; what the others print is the text. */
function shell({ path }: CliFolder, line: string): Promise<Shell> {
  const script = `oxherd() { "${process.execPath}" "${MAIN}" "$@"; }\n${line}\necho "status \${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['-c', script], {
    cwd: path,
    env: { PATH: process.env.PATH, HOME: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve({ status: Number(/^status (\d+)$/m.exec(text)?.[1] ?? -1), text }));
  });
}

function folder(): CliFolder {
  const made = CliFolder.make(smallFile());
  onTestFinished(() => made.remove());
  return made;
}

/** Outcomes of all runs, oldest first; a journal without an end has none. */
function outcomes(made: CliFolder): string[] {
  const runs = labFile(made.path, 'runs');
  return readdirSync(runs)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => {
      const last = readFileSync(`${runs}/${name}`, 'utf8').trimEnd().split('\n').at(-1) ?? '';
      const { type, result } = JSON.parse(last);
      return type === 'run-ended' ? result.outcome : 'no end';
    });
}

const STACK = /\n\s+at |EPIPE|node:internal/;

describe('a reader that ends first', () => {
  it('does not end a run: stdout and stderr closed', async () => {
    const made = folder();
    const { status, text } = await shell(made, 'oxherd --lab apply --yes 2>&1 | head -1');
    expect({ status, outcomes: outcomes(made) }).toEqual({ status: 0, outcomes: ['done'] });
    expect(text).not.toMatch(STACK);
    // The exit code is that of the command, which found a change.
    made.config = smallFile({ worker: ', memory: 5GiB' });
    const planned = await shell(made, 'oxherd --lab plan --exit-code | head -1');
    expect(planned.status).toBe(2);
    expect(planned.text).not.toMatch(STACK);
  });

  it.runIf(WHOLE)('does not end a run that fails later, whose exit code says so', async () => {
    const made = folder();
    const { status } = await shell(made, 'oxherd --lab --fault storage-full apply --yes | head -1');
    expect({ status, outcomes: outcomes(made) }).toEqual({ status: 1, outcomes: ['failed'] });
  });

  it.runIf(WHOLE)('does not end any command that writes', async () => {
    const made = folder();
    const lines = [
      'oxherd --lab --json apply --yes | head -1',
      'oxherd --lab apply --yes 2>&1 >/dev/null | head -0',
      'oxherd --lab restart work-1 --yes 2> >(head -0) | head -1',
      'oxherd --lab host drain pve2 --for 10m --yes | head -1',
      'oxherd --lab host return pve2 --yes --json | head -1',
      'oxherd --lab upgrade --kubernetes v1.36.1 --write --yes 2>&1 | head -1',
      'oxherd --lab destroy --yes | head -1',
    ];
    for (const line of lines) {
      const { status, text } = await shell(made, line);
      expect({ line, status, text: STACK.test(text) ? text : '' }).toEqual({ line, status: 0, text: '' });
    }
    expect(new Set(outcomes(made))).toEqual(new Set(['done']));
    expect(outcomes(made).length).toBeGreaterThanOrEqual(6);
  });

  it.runIf(WHOLE)('ends what only shows, without an error', async () => {
    const made = folder();
    expect((await shell(made, 'oxherd --lab apply --yes >/dev/null | cat')).status).toBe(0);
    for (const [line, status] of [
      ['oxherd --lab status --json | head -1', 0],
      ['oxherd --help | head -1', 0],
      ['oxherd --lab observe 2>&1 | head -0', 0],
      ['oxherd validate nope 2>&1 | head -0', 1],
    ] as const) {
      const shown = await shell(made, line);
      expect({ line, status: shown.status }).toEqual({ line, status });
      expect(shown.text).not.toMatch(STACK);
    }
  });

  it.runIf(WHOLE)('is told from a full disk, which fails in words', async () => {
    const made = folder();
    const { status, text } = await shell(made, 'oxherd --lab apply --yes > /dev/full | cat');
    expect(status).toBe(1);
    expect(text).toContain('the output could not be written: ENOSPC');
    expect(text).not.toMatch(/\n\s+at /);
    expect(outcomes(made)).toEqual(['done']);
  });
});
