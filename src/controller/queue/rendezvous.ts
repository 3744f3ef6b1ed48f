/** Which replica tries first: the same answer on all of them, and few keys move when one comes or goes. */
import { sha256Hex } from '../../formats/text/hash.js';

/** `undefined`: there are no replicas. */
export function ownerOf(key: string, replicas: readonly string[]): string | undefined {
  let best: { readonly replica: string; readonly score: string } | undefined;
  for (const replica of replicas) {
    const score = sha256Hex(`${replica}\n${key}`);
    if (!best || score > best.score) best = { replica, score };
  }
  return best?.replica;
}
