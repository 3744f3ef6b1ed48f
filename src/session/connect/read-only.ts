/** Connections that only read: of a session that must not change anything, whatever is asked of it. */
import { OxherdError } from '../../model/error.js';
import { readOnlyGate, type WriteGate } from '../../model/write-gate.js';

export function readOnlyError(): OxherdError {
  return new OxherdError('session.read-only', 'this session only reads: nothing was sent');
}

/** With every write refused, whoever else opens a gate of its own. */
export function guarded<T extends { behind(gate: WriteGate): object }>(connection: T): T {
  const shut = readOnlyGate(readOnlyError);
  return { ...connection, ...connection.behind(shut), behind: () => connection.behind(shut) };
}
