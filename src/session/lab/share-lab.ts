/** A lab for a front end that stays: served, so that commands of other terminals work on the same one meanwhile. */
import { join } from 'node:path';
import { findServingLab } from '../../lab/control.js';
import type { LoadedConfig } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { serveLab } from './serve-lab.js';

/** What was served is closed at the end; a lab that someone else serves, or that the caller brought along, stays. */
export async function shareLab(
  context: Pick<SessionContext, 'cwd' | 'env' | 'tell' | 'target'>,
  { config }: Pick<LoadedConfig, 'config'>,
  speed: number,
): Promise<{ close(): Promise<void> }> {
  const { cwd, target } = context;
  const folder = join(cwd, '.oxherd', 'lab');
  if (target.kind !== 'lab' || target.open || findServingLab(folder)) return { close: async () => {} };
  const { kubernetes } = target;
  return serveLab(context, {
    folder,
    port: 0,
    speed,
    world: { config },
    ...(kubernetes !== undefined && { kubernetes }),
  });
}
