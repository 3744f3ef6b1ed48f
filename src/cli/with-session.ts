/** A session for one command. */
import { openSession, type Session } from '../session/session.js';
import type { CliContext } from './context.js';
import { requireConfig } from './require-config.js';

/** Connects, works, and closes again, whatever happens. */
export async function withSession<T>(
  context: CliContext,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await openSession(requireConfig(context), context.target, context);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}
