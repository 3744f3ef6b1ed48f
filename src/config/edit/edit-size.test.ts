import { describe, expect, it } from 'vitest';
import { bytes, GIB, MIB } from '../../model/size.js';
import { editSize } from './edit-size.js';

const FILE = `# ours
nodes:
  cp-1: { role: controlplane, disk: 6GiB } # small
  work:
    count: 2   # two of them
    role: worker
volumes:
  data: { type: disk, size: '2GiB' } # database
  logs:
    # grows
    size: 512MiB
`;

describe('the size in oxherd.yaml', () => {
  it('of a volume is changed in its place', () => {
    const { edited, path } = editSize(FILE, { volume: 'data' }, bytes(3 * GIB));
    expect(edited).toBe(FILE.replace("'2GiB'", "'3GiB'"));
    expect(path).toEqual(['volumes', 'data', 'size']);
    expect(editSize(FILE, { volume: 'logs' }, bytes(1_000 * MIB)).edited).toBe(
      FILE.replace('512MiB', '1000MiB'),
    );
  });

  it('of a node is its disk, of a member of a group that of the group', () => {
    expect(editSize(FILE, { node: 'cp-1' }, bytes(8 * GIB)).edited).toBe(FILE.replace('6GiB', '8GiB'));
    const { edited, path } = editSize(FILE, { node: 'work-2' }, bytes(8 * GIB));
    expect(path).toEqual(['nodes', 'work', 'disk']);
    expect(edited).toContain('disk: 8GiB');
    expect(edited.match(/# .*/g)).toEqual(FILE.match(/# .*/g));
  });
});
