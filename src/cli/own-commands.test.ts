import { describe, expect, it } from 'vitest';
import { testContext } from '../../test/support/cli/context.js';
import type { GlobalOptions } from './context.js';
import { withUserFlags } from './own-commands.js';

const { context } = testContext('.');
const named = ['apply', 'etcd', 'status'].map((name) => ({ name, summary: '', examples: [] }));

function said(globals: Partial<GlobalOptions>, text: string): string {
  return withUserFlags({ globals: { ...context.globals, ...globals }, commands: named }, text);
}

describe('commands that we advise', () => {
  it('stay as they are where no flag was given', () => {
    expect(said({}, 'run `oxherd apply`')).toBe('run `oxherd apply`');
  });

  it('repeat the flags that the user gave', () => {
    expect(said({ lab: true }, 'oxherd etcd restore FILE; see `oxherd status`')).toBe(
      'oxherd --lab etcd restore FILE; see `oxherd --lab status`',
    );
    expect(said({ config: 'dev env.yaml' }, 'go on with: oxherd apply')).toBe(
      "go on with: oxherd -c 'dev env.yaml' apply",
    );
  });

  it('leave other words alone', () => {
    const text = 'written by another oxherd version; oxherd.yaml says so; a bug of oxherd';
    expect(said({ lab: true }, text)).toBe(text);
  });
});
