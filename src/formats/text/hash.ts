import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 in hex over the parts, each prefixed by its length so that no two lists collide. */
export function hashParts(parts: readonly string[]): string {
  return sha256Hex(parts.map((part) => `${utf8ToBytes(part).length}:${part}`).join(''));
}

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
