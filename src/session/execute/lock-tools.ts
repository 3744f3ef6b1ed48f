import type { AcquireOptions } from '../../apply/lock/lock.js';
import type { CliContext } from '../../cli/context.js';
import type { Site } from '../connect/site.js';
import { wallClock } from '../connect/wall-clock.js';
import { processAt } from './holder.js';

/** Pauses pass on the site's clock, which in a lab of this process nobody has to wait for; readings age in real time. */
export function lockTools(
  { stderr, signal }: Pick<CliContext, 'stderr' | 'signal'>,
  { client, clock }: Pick<Site, 'client' | 'clock'>,
): AcquireOptions {
  const onWait = (message: string) => void stderr.write(`${message}\n`);
  return { client, clock, time: wallClock, processAt, onWait, signal };
}
