import { describe, expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { VolumeUsers } from './interlock-users.js';

/** Counts how often the guests are listed. */
class Guests {
  wall = 1_000_000;
  monotonic = 0;
  lists = 0;
  readonly users = new VolumeUsers(
    partOf<ProxmoxReads>({
      vms: async () => {
        this.lists += 1;
        return [];
      },
      storages: async () => [],
    }),
    { now: () => this.wall, elapsed: () => this.monotonic },
  );

  async ask(): Promise<number> {
    await this.users.of(['local-zfs:vm-1-disk-0'], []);
    return this.lists;
  }
}

describe('the list of guests that use volumes', () => {
  it('is kept for the calls of a run that come in a row', async () => {
    const guests = new Guests();
    const first = await guests.ask();
    guests.monotonic += 2_000;
    guests.wall += 2_000;
    expect(await guests.ask()).toBe(first);
  });

  it.each([
    ['the computer slept, and its monotonic clock stood still', { wall: 3_600_000, monotonic: 0 }],
    ['the clock was set back, and an hour has passed', { wall: -60_000, monotonic: 3_600_000 }],
  ])('is read again if %s', async (_, passed) => {
    const guests = new Guests();
    const first = await guests.ask();
    guests.wall += passed.wall;
    guests.monotonic += passed.monotonic;
    expect(await guests.ask()).toBeGreaterThan(first);
  });
});
