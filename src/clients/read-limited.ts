/**
 * Room `clients`: clients of the APIs of Proxmox, Talos, Kubernetes, the Image Factory and S3.
 * May touch: the network; no file, no terminal, no decision.
 *
 * Answers of servers as text, up to a limit: one that never ends must not fill the memory.
 */

/** A large cluster's list of pods has some 20 MB. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  constructor(readonly limit: number) {
    super(`the answer is larger than ${limit / 1024 / 1024} MiB`);
  }
}

export async function readLimited(
  body: AsyncIterable<Uint8Array>,
  limit: number = MAX_ANSWER_BYTES,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size > limit) throw new TooLarge(limit);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
