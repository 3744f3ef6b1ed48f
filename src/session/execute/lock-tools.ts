import type { AcquireOptions } from '../../apply/lock/lock.js';
import type { Site } from '../connect/site.js';
import { wallClock } from '../connect/wall-clock.js';
import type { SessionContext } from '../context.js';
import { processAt } from './holder.js';

/** Pauses pass on the site's clock, which in a lab of this process nobody has to wait for; readings age in real time. */
export function lockTools(
  { tell, signal }: Pick<SessionContext, 'tell' | 'signal'>,
  { client, clock }: Pick<Site, 'client' | 'clock'>,
): AcquireOptions {
  const onWait = (message: string) => tell({ kind: 'progress', message });
  return { client, clock, time: wallClock, processAt, onWait, signal };
}
