import type { IncomingMessage } from 'node:http';
import type * as Envelope from '../protobuf/envelope.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

type Codec = typeof Envelope;

let loaded: Codec | undefined;

/** Loads what protobuf needs when the first client speaks it: most never do. */
export async function prepareProtobuf({ headers }: IncomingMessage): Promise<void> {
  if (loaded) return;
  const named = `${headers.accept ?? ''} ${headers['content-type'] ?? ''}`;
  if (named.includes(PROTOBUF)) loaded = await import('../protobuf/envelope.js');
}

export function protobufCodec(): Codec {
  if (!loaded) throw new Error('protobuf was used before it was loaded');
  return loaded;
}
