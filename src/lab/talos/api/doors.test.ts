import { expect, it } from 'vitest';
import { partOf } from '../../../../test/support/part-of.js';
import { DrivenClock } from '../../clock.js';
import { privateNetwork } from '../../network.js';
import type { Room } from '../machine/machine.js';
import { Doors } from './doors.js';

const VIP = '10.20.30.40';

it('does not hold time for a shared address that moved on before its port was open', async () => {
  const clock = new DrivenClock(0);
  const network = privateNetwork();
  const vips = new Map([[VIP, 141]]);
  const room = partOf<Room>({ core: { clock, network }, db: { vips } });
  const doors = new Doors(
    room,
    () => () => {},
    () => {},
  );
  doors.refreshVips();
  vips.set(VIP, 142);
  doors.refreshVips();
  vips.delete(VIP);
  doors.refreshVips();
  const late = new Promise((resolve) => setTimeout(resolve, 2_000, 'held').unref());
  expect(await Promise.race([clock.sleep(1_000), late])).toBeUndefined();
  expect(network.dial(VIP, 50_000)).toBeUndefined();
  doors.close();
});
