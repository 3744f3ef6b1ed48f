import { describe, expect, it } from 'vitest';
import { words } from './root-words.js';

describe('a line of the shell', () => {
  it('is split at its operators, quotes taken off', () => {
    expect(
      words(`pveum role add R --privs 'A B' 2>/dev/null || true; qm set 1 --tags "a;b" && qm start 1`),
    ).toEqual([
      { joined: 'next', argv: ['pveum', 'role', 'add', 'R', '--privs', 'A B'] },
      { joined: 'or', argv: ['true'] },
      { joined: 'next', argv: ['qm', 'set', '1', '--tags', 'a;b'] },
      { joined: 'and', argv: ['qm', 'start', '1'] },
    ]);
  });

  it('with a placeholder or a pipe is refused', () => {
    expect(() => words('qm disk move 1 scsi0 --target-vmid <VM>')).toThrow('does not read');
    expect(() => words('qm list | grep x')).toThrow('does not read');
  });
});
