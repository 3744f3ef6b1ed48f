/** Asks the server: with the cookie that the browser keeps and the token that this page keeps for its own origin. */
import type { ErrorView, StreamEvent } from '../../api.js';

const KEPT = 'oxherd-token';

export class ServerError extends Error {
  constructor(
    readonly status: number,
    readonly view: ErrorView,
  ) {
    super(view.message);
  }
}

function token(): string {
  return sessionStorage.getItem(KEPT) ?? '';
}

/** The token of the address is exchanged once, and leaves the address bar. */
export async function enter(): Promise<void> {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(null, '', `${location.pathname}#/`);
  const { token: kept } = await ask<{ token: string }>('/api/session', { token: given });
  sessionStorage.setItem(KEPT, kept);
}

/** A token of the Kubernetes API, typed in by a person. */
export function signIn(given: string): void {
  sessionStorage.setItem(KEPT, given.trim());
}

/** With a body it is a POST. */
export async function ask<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-oxherd-token': token(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new ServerError(response.status, errorIn(answer));
  // The other side is compiled against the same types.
  return answer as T;
}

function errorIn(answer: unknown): ErrorView {
  const error = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : undefined;
  return typeof error === 'object' && error !== null && 'message' in error
    ? (error as ErrorView)
    : { code: 'ui.answer', message: 'the server did not answer as expected' };
}

const AGAIN_MS = 2_000;

/** Events until `signal`; a connection that breaks is made again, and `onState` told. */
export async function listen(
  onEvent: (event: StreamEvent) => void,
  onState: (connected: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch('/api/events', { headers: { 'x-oxherd-token': token() }, signal });
      if (!response.ok || !response.body) throw new Error(String(response.status));
      onState(true);
      await readEvents(response.body, onEvent);
    } catch {
      // Told below: whatever ended it, it is tried again.
    }
    onState(false);
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // A large change comes in many pieces; only the new piece is searched for the end. The server writes no empty line inside.
  let waiting: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = decoder.decode(value, { stream: true }).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      const whole = waiting.length === 0 ? line : [...waiting, line].join('');
      waiting = [];
      if (!whole.startsWith('data: ')) continue;
      performance.mark('oxherd-heard');
      onEvent(JSON.parse(whole.slice(6)) as StreamEvent);
    }
    if (last !== '') waiting.push(last);
  }
}
