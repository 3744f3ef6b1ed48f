/** How the last run ended, where that stands in the way of the next. */
import { z } from 'zod';
import type { FleetObject } from '../api/group.js';

const lastRun = z.object({
  lastRun: z.object({
    outcome: z.string(),
    message: z.string().default(''),
    generation: z.number().default(0),
  }),
});

/**
 * After a failed run nothing is applied by policy alone: a person approves the plan, or changes the object. `undefined`: no
 * failure stands in the way.
 */
export function lastFailure(object: FleetObject, approved: boolean): string | undefined {
  const parsed = lastRun.safeParse(object.status);
  if (!parsed.success || approved) return undefined;
  const { outcome, message, generation } = parsed.data.lastRun;
  return outcome === 'failed' && generation === (object.metadata.generation ?? 1) ? message : undefined;
}
