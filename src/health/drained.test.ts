import { describe, expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import type { Design } from '../design/design.js';
import type { Condition } from './condition.js';
import { sayDrained } from './drained.js';

const design = partOf<Design>({
  nodes: [
    { name: 'cp-2', ip: '10.0.0.42' },
    { name: 'cp-1', ip: '10.0.0.41' },
  ],
});
const failed = (layer: Condition['layer'], subject: string): Condition => ({
  layer,
  name: 'x',
  subject,
  state: 'failed',
  message: 'it fails',
});

describe('nodes of a host in maintenance', () => {
  const drained = new Map([['cp-2', { host: 'pve2', until: '2026-01-01T00:00:00Z' }]]);

  it('are said once, whatever fails because of them', () => {
    const said = sayDrained(
      [failed('proxmox', 'cp-2'), failed('kubernetes', 'cp-2'), failed('kubernetes', '10.0.0.42')],
      design,
      drained,
    );
    expect(said).toMatchObject([{ state: 'note', subject: 'cp-2' }]);
    expect(said[0]?.message).toContain('drained for maintenance of pve2 (until 2026-01-01T00:00:00Z)');
  });

  it('excuse their host, and nothing else', () => {
    const said = sayDrained(
      [
        failed('proxmox', 'pve2'),
        failed('proxmox', 'pve2/local'),
        failed('proxmox', 'pve3'),
        failed('etcd', 'cp-1'),
      ],
      design,
      drained,
    );
    expect(said.map(({ state }) => state)).toEqual(['note', 'note', 'failed', 'failed']);
  });
});
