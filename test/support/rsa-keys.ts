/**
 * An RSA key of 4096 bits takes about a second of a core, and nearly every lab of a test begins with one or two. A worker
 * makes a few real ones and gives them in turn: neighbours differ, and a cluster's two keys do.
 */
import crypto, { type KeyObject } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const DIFFERENT = 3;
const IN_TURN = Symbol.for('oxherd: keys in turn');
const made = promisify(crypto.generateKeyPair);
const kept: Promise<Pair>[] = [];
let asked = 0;

const inTurn = (bits: number): Promise<Pair> => {
  const at = asked % DIFFERENT;
  asked += 1;
  kept[at] ??= made('rsa', { modulusLength: bits });
  return kept[at];
};

// Runs before each file; the first file of a worker does it for all.
if (!Object.hasOwn(crypto.generateKeyPair, IN_TURN)) {
  const original = crypto.generateKeyPair;
  const inTests = Object.assign(original.bind(crypto), {
    [IN_TURN]: true,
    [promisify.custom]: (type: string, options: { modulusLength?: number }) =>
      type === 'rsa' && options.modulusLength === 4096
        ? inTurn(4096)
        : Reflect.apply(made, undefined, [type, options]),
  });
  Object.assign(crypto, { generateKeyPair: inTests });
  syncBuiltinESMExports();
}
