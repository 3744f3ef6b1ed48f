import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { upgradeGoal } from './upgrade-goal.js';

const GOAL = {
  talos: { major: 1, minor: 14, patch: 1, pre: '' },
  kubernetes: { major: 1, minor: 37, patch: 0, pre: 'rc.1' },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-goal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is kept per cluster until it is forgotten', async () => {
  const goal = upgradeGoal({ cwd: folder, lab: false }, { name: 'small', env: 'dev' });
  expect(await goal.read()).toBeUndefined();
  await goal.write(GOAL);
  expect(await upgradeGoal({ cwd: folder, lab: false }, { name: 'small', env: 'dev' }).read()).toEqual(GOAL);
  expect(await upgradeGoal({ cwd: folder, lab: false }, { name: 'other', env: '' }).read()).toBeUndefined();
  expect(statSync(join(folder, '.oxherd', 'small_dev', 'upgrade.json')).mode & 0o777).toBe(0o600);
  await goal.forget();
  expect(await goal.read()).toBeUndefined();
});

it.each(['', '{', '{"talos":"new","kubernetes":"v1.37.0"}', '[]'])(
  'is none where the note says %j',
  async (text) => {
    const goal = upgradeGoal({ cwd: folder, lab: false }, { name: 'small', env: '' });
    await goal.write(GOAL);
    writeFileSync(join(folder, '.oxherd', 'small', 'upgrade.json'), text);
    expect(await goal.read()).toBeUndefined();
  },
);
