/**
 * One request and its whole answer as text. A plan asks for hundreds of small answers: a stream for each of them would take
 * longer than reading it.
 */
import type { Dispatcher } from 'undici';
import { NotSent } from '../model/write-gate.js';
import { MAX_ANSWER_BYTES, TooLarge } from './read-limited.js';

interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly maxBytes?: number;
  /** Asked once more when there is a connection and the request is about to be written; no: `NotSent`. */
  readonly mayLeave?: (() => boolean) | undefined;
}

interface WholeAnswer {
  readonly status: number;
  readonly reason: string;
  readonly body: string;
}

/** No answer within its time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    let control: Dispatcher.DispatchController | undefined;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      // Without a connection there is nothing to end yet: it is refused when it would be sent.
      if (control) control.abort(new TimedOut());
      else reject(new TimedOut());
    }, limits.timeoutMs);
    const { maxBytes = MAX_ANSWER_BYTES, mayLeave } = limits;
    const chunks: Buffer[] = [];
    let head = { status: 0, reason: '' };
    let size = 0;
    dispatcher.dispatch(request, {
      onRequestStart(controller) {
        // Thrown here it fails this request alone, and the connection stays.
        if (isLate) throw new TimedOut();
        if (mayLeave && !mayLeave()) throw new NotSent();
        control = controller;
      },
      onResponseStart(_, status, _headers, reason = '') {
        head = { status, reason };
      },
      onResponseData(controller, chunk) {
        size += chunk.length;
        if (size > maxBytes) controller.abort(new TooLarge(maxBytes));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        clearTimeout(timer);
        const [first, ...more] = chunks;
        const whole = first && more.length === 0 ? first : Buffer.concat(chunks);
        resolve({ ...head, body: whole.toString() });
      },
      onResponseError(_, error) {
        clearTimeout(timer);
        reject(isLate ? new TimedOut() : error);
      },
    });
  });
}
