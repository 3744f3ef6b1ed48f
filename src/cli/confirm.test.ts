import { tmpdir } from 'node:os';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { testContext } from '../../test/support/cli/context.js';
import { confirm } from './confirm.js';
import { Interrupted } from './context.js';

const QUESTION = 'Apply this plan?';

/** Someone at a terminal who presses these keys once the question is there. */
async function answer(keys: string): Promise<boolean> {
  const { context, stdout } = testContext(tmpdir());
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const terminal = { ...context, stdin, stdout: Object.assign(context.stdout, { isTTY: true }) };
  const answered = confirm(terminal, QUESTION, 'add --yes');
  await vi.waitFor(() => expect(stdout()).toContain(QUESTION));
  stdin.write(keys);
  return answered;
}

describe('a question', () => {
  it('is answered with yes or no, and no is the default', async () => {
    expect(await answer('y')).toBe(true);
    expect(await answer('n')).toBe(false);
    expect(await answer('\r')).toBe(false);
  });

  it('is an interruption at Ctrl-C', async () => {
    await expect(answer('\x03')).rejects.toBeInstanceOf(Interrupted);
  });

  it('is refused where no one can answer', async () => {
    const { context } = testContext(tmpdir());
    await expect(confirm(context, QUESTION, 'add --yes')).rejects.toMatchObject({
      code: 'cli.needs-yes',
      advice: 'add --yes',
    });
  });
});
