import type { Http2ServerRequest } from 'node:http2';
import type { Machine } from '../machine/machine.js';
import { largestTransfer } from '../network/network-path.js';
import type { RequestHandler } from './listener.js';

/** How long both sides send again, in lab time, before the connection is given up. */
const GIVEN_UP_AFTER = 20_000;

/**
 * A link with a larger MTU than its path carries: small messages pass, a larger one never arrives, in either direction,
 * and after a while the connection is lost.
 */
export function losePackets(
  machine: Machine,
  request: Http2ServerRequest,
  response: Parameters<RequestHandler>[1],
): void {
  if (largestTransfer(machine) === undefined) return;
  let lost = false;
  const isLost = (chunk: unknown): boolean => {
    // Asked each time: the config may have been reverted meanwhile.
    const limit = largestTransfer(machine);
    if (!lost && limit !== undefined && chunk instanceof Uint8Array && chunk.length > limit) {
      lost = true;
      machine.room.core.clock
        .sleep(GIVEN_UP_AFTER)
        .then(() => request.stream.session?.destroy())
        .catch(() => {});
    }
    return lost;
  };
  const push = request.push.bind(request);
  request.push = (chunk: unknown) => (isLost(chunk) ? true : push(chunk));
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  response.write = ((chunk: string | Uint8Array, ...rest: never[]) =>
    isLost(chunk) ? true : write(chunk, ...rest)) as typeof response.write;
  response.end = ((...rest: never[]) => (isLost(rest[0]) ? response : end(...rest))) as typeof response.end;
}
