import { OxherdError } from '../model/error.js';
import type { Plan } from './plan.js';

/** A plan file is our own JSON; what is not one is said so before anything is done. */
export function parsePlan(text: string, file: string): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notAPlan(file, cause);
  }
  if (!isPlan(value)) throw notAPlan(file);
  return value;
}

function isPlan(value: unknown): value is Plan {
  if (typeof value !== 'object' || value === null) return false;
  const { format, fingerprint, steps, problems, notes, cluster } = value as Partial<Plan>;
  return (
    format === 1 &&
    typeof fingerprint === 'string' &&
    typeof cluster?.name === 'string' &&
    [steps, problems, notes].every(Array.isArray)
  );
}

function notAPlan(file: string, cause?: unknown): OxherdError {
  return new OxherdError('apply.no-plan', `${file} is no plan of this version`, {
    advice: 'make one with `oxherd plan --out FILE`',
    cause,
  });
}
