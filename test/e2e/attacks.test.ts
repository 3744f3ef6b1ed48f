/** A sample of test/exhaustive/attacks, and that a loss would be seen. */
import { describe, expect, it } from 'vitest';
import { Arena, HOST, NODE } from '../support/attacks/arena.js';
import { attackCases, runAttack } from '../support/attacks/run.js';
import { chosen } from '../support/shard.js';

describe('attacks on the data', () => {
  it.each(chosen(attackCases(), { test: 6 }))('nothing is lost: $name', async (one) => {
    expect(await runAttack(one)).toEqual([]);
  });

  it('a volume that is erased or written is missed', async () => {
    const arena = await Arena.build({ layout: 'data-vm', storage: 'local-zfs' });
    const { hand } = arena;
    await hand.updateVm(HOST, NODE.data, { set: { protection: 0 } });
    await hand.updateVm(HOST, NODE.data, { delete: ['scsi1'], force: true });
    expect(arena.lost(new Set())).toEqual([expect.stringContaining('(ours)')]);
    await arena.stop();
  });
});
