import type { Condition } from './condition.js';

export function condition(
  name: string,
  subject: string | undefined,
  ok: boolean,
  message: string,
  advice: string,
): Condition {
  return {
    layer: 'kubernetes',
    name,
    ...(subject !== undefined && { subject }),
    state: ok ? 'ok' : 'failed',
    message,
    ...(ok ? {} : { advice }),
  };
}

export function unread(name: string, why: string): Condition {
  return { layer: 'kubernetes', name, state: 'unknown', message: `could not be read: ${why}` };
}
