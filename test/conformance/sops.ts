/** Our half of the SOPS round trips: `tsx sops.ts encrypt|decrypt IN OUT RECIPIENT|IDENTITY-FILE`. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { decryptSops, encryptSops } from '../../src/secrets/sops/file.js';

const [mode, from = '', to = '', key = ''] = process.argv.slice(2);
const text = readFileSync(from, 'utf8');
if (mode === 'encrypt') {
  const random = (length: number): Uint8Array => randomBytes(length);
  writeFileSync(to, await encryptSops(parse(text), { recipients: [key], now: new Date(), random }), {
    mode: 0o600,
  });
} else {
  const identities = readFileSync(key, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  writeFileSync(to, stringify(await decryptSops(text, identities, from)), { mode: 0o600 });
}
