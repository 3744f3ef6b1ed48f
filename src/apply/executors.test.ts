import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ACTION_OF, STEP_ACTIONS } from '../plan/step-actions.js';

const STEPS = join(dirname(fileURLToPath(import.meta.url)), 'steps');

const files = readdirSync(STEPS).flatMap((folder) =>
  readdirSync(join(STEPS, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => ({ kind: name.replace(/\.ts$/, ''), path: join(STEPS, folder, name) })),
);

describe('kinds of steps', () => {
  it('have a file each, named like them, and no other file is there', () => {
    expect(files.map(({ kind }) => kind).sort()).toEqual(Object.keys(ACTION_OF).sort());
  });

  it.each(files)('$kind exports its executor and nothing else', ({ kind, path }) => {
    const exported = readFileSync(path, 'utf8').match(/^export .*/gm) ?? [];
    expect(exported).toHaveLength(1);
    expect(exported[0]).toMatch(new RegExp(`^export const \\w+: Executor<'${kind}'>`));
  });

  it('say in data what they do, so that views need not guess it from names', () => {
    for (const action of Object.values(ACTION_OF)) expect(STEP_ACTIONS).toContain(action);
    const views = join(STEPS, '../../cli/views');
    const files = readdirSync(views, { recursive: true, encoding: 'utf8' });
    const guessing = files
      .filter((name) => name.endsWith('.ts'))
      .filter((name) =>
        /\.test\(step\.kind\)|\bkind\.(?:startsWith|match|endsWith)\(/.test(
          readFileSync(join(views, name), 'utf8'),
        ),
      );
    expect(guessing).toEqual([]);
  });
});
