import { describe, expect, it } from 'vitest';
import { partitionProblems } from './check-partitions.js';

const on = (disk: string) => ({ provisioning: { diskSelector: { match: `disk.wwid == "${disk}"` } } });
const EPHEMERAL = { kind: 'VolumeConfig', name: 'EPHEMERAL', ...on('e') };
const volume = (disk: string, more: object = {}) => ({
  kind: 'UserVolumeConfig',
  name: 'cache',
  ...on(disk),
  ...more,
});
const messages = (from: Record<string, unknown>[], to: Record<string, unknown>[]) =>
  partitionProblems('w-1', from, to).map(({ message, advice }) => `${message} | ${advice}`);

describe('partitions of the EPHEMERAL disk', () => {
  it('are refused on a node that runs without them, with the way out', () => {
    const [problem, ...more] = messages([EPHEMERAL], [EPHEMERAL, volume('e')]);
    expect(more).toEqual([]);
    expect(problem).toMatch(/has no partition cache.*write place: disk for volumes\.cache/);
  });

  it('do not change places while they hold data', () => {
    expect(messages([EPHEMERAL, volume('own')], [EPHEMERAL, volume('e')])[0]).toMatch(
      /has a disk of its own.*write place: disk/,
    );
    expect(messages([EPHEMERAL, volume('e')], [EPHEMERAL, volume('own')])[0]).toMatch(
      /is a partition of the EPHEMERAL disk.*write place: ephemeral/,
    );
  });

  it('are fine where nothing changes, where a disk is added, and for directories', () => {
    expect(messages([EPHEMERAL, volume('e')], [EPHEMERAL, volume('e')])).toEqual([]);
    expect(messages([EPHEMERAL], [EPHEMERAL, volume('own')])).toEqual([]);
    expect(messages([EPHEMERAL], [EPHEMERAL, volume('e', { volumeType: 'directory' })])).toEqual([]);
    expect(messages([], [EPHEMERAL, volume('e')])).toEqual([]);
  });
});
