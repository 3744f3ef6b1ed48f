import { describe, expect, it } from 'vitest';
import { config } from '../../../test/support/design/config.js';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import { design } from '../../design/design-cluster.js';
import type { Observed } from '../../observe/observed.js';
import type { MachineVolume } from '../../observe/observed-machines.js';
import { rowsOnEphemeral } from './volume-list.js';

describe('volumes without a disk of their own', () => {
  it('are partitions where a disk holds them, directories otherwise', () => {
    const wanted = design(config({}));
    const node = wanted.nodes[0]?.name ?? '';
    const volumes: MachineVolume[] = [
      { id: 'EPHEMERAL', phase: 'ready', size: 10, wwid: 'naa.3' },
      { id: 'u-cache', phase: 'ready', size: 5, wwid: 'naa.3' },
      { id: 'u-logs', phase: 'ready' },
    ];
    const machines = { [node]: { details: { known: true as const, value: { volumes } } } };
    const rows = rowsOnEphemeral(wanted, partOf<Observed>({ machines, vms: partVms() }));
    expect(rows.map(({ name, kind, size, mount }) => ({ name, kind, size, mount }))).toEqual([
      { name: `${node}/cache`, kind: 'partition', size: 5, mount: '/var/mnt/cache' },
      { name: `${node}/logs`, kind: 'directory', size: undefined, mount: '/var/mnt/logs' },
    ]);
  });
});
