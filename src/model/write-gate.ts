/**
 * What every request that changes something passes before it leaves. The clients know which requests those are; who
 * runs a plan says when the gate is open (it is, while the cluster's lock is ours).
 */
export interface WriteGate {
  /** Resolves when a write may be sent, or throws why none may be. */
  open(): Promise<void>;
  /** Asked at the moment of sending: what `open` found out may be too old by then. */
  isOpen(): boolean;
  /** A write was sent and its answer never came: it may take effect yet. */
  unanswered?(): void;
}

/** The gate had closed again before the first byte was sent. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** `send` asks `mayLeave` as late as it can, and throws `NotSent` where the answer is no; then all begins again. */
export async function throughGate<T>(
  gate: WriteGate | undefined,
  send: (mayLeave: (() => boolean) | undefined) => Promise<T>,
  /** Whether a failure is an answer, or shows that nothing was sent. */
  isAnswer: (error: unknown) => boolean = () => false,
): Promise<T> {
  if (!gate) return send(undefined);
  for (;;) {
    await gate.open();
    try {
      return await send(() => gate.isOpen());
    } catch (error) {
      if (error instanceof NotSent) continue;
      if (!isAnswer(error)) gate.unanswered?.();
      throw error;
    }
  }
}

/** Open while both are. */
export function bothGates(first: WriteGate, second: WriteGate): WriteGate {
  return {
    async open() {
      await first.open();
      await second.open();
    },
    isOpen: () => first.isOpen() && second.isOpen(),
    unanswered() {
      first.unanswered?.();
      second.unanswered?.();
    },
  };
}

/** For whoever only looks: nothing that changes anything ever leaves. */
export function readOnlyGate(refusal: () => Error): WriteGate {
  return {
    open: () => Promise.reject(refusal()),
    isOpen: () => false,
  };
}
