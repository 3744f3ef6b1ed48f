import { randomBytes } from 'node:crypto';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { decryptSops, encryptSops, isSopsText } from './file.js';

const random = (length: number): Uint8Array => randomBytes(length);
const now = new Date('2026-11-15T05:00:00Z');

let identity: string;
let recipient: string;
beforeAll(async () => {
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});

const seal = (value: Record<string, unknown>): Promise<string> =>
  encryptSops(value, { recipients: [recipient], now, random });

describe('SOPS files', () => {
  it('come back as they were, whatever is in them', async () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom('yes', 'off', '1e3', '0x1f', '12:30'),
    );
    const tree = fc.dictionary(
      fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/).filter((key) => key !== 'sops'),
      fc.oneof(
        scalar,
        fc.array(scalar, { maxLength: 4 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), scalar, { maxKeys: 4 }),
      ),
      { minKeys: 1, maxKeys: 5 },
    );
    await fc.assert(
      fc.asyncProperty(tree, async (value) => {
        expect(await decryptSops(await seal(value), [identity], 'x')).toEqual(value);
      }),
      { numRuns: 50 },
    );
  });

  it('hide every value, and are known as what they are', async () => {
    const text = await seal({ token: 'tell-nobody', list: ['tell-nobody-2'] });
    expect(text).not.toContain('tell-nobody');
    expect(isSopsText(text)).toBe(true);
    expect(isSopsText('token: abc\n')).toBe(false);
  });

  it('leave values with the unencrypted suffix readable but authenticated', async () => {
    const text = await seal({ note_unencrypted: 'hello', key: 'x' });
    expect(text).toContain('note_unencrypted: hello');
    await expect(decryptSops(text.replace('hello', 'hullo'), [identity], 'f')).rejects.toMatchObject({
      code: 'sops.mac',
    });
  });

  it('refuse a value that was moved to another key', async () => {
    const tree = parse(await seal({ a: 'one', b: 'two' }));
    const swapped = stringify({ ...tree, a: tree.b, b: tree.a });
    await expect(decryptSops(swapped, [identity], 'f')).rejects.toMatchObject({ code: 'sops.value' });
  });

  it('refuse a file from which a value was taken', async () => {
    const { b: _, ...rest } = parse(await seal({ a: 'one', b: 'two' }));
    await expect(decryptSops(stringify(rest), [identity], 'f')).rejects.toMatchObject({ code: 'sops.mac' });
  });

  it('say whose key is needed', async () => {
    const text = await seal({ a: 'one' });
    await expect(decryptSops(text, [], 'f')).rejects.toMatchObject({ code: 'sops.no-key' });
    const other = await generateX25519Identity();
    await expect(decryptSops(text, [other], 'f')).rejects.toMatchObject({ code: 'sops.wrong-key' });
    await expect(decryptSops(text, [other], 'f')).rejects.toHaveProperty(
      'advice',
      expect.stringContaining(recipient),
    );
    expect(await decryptSops(text, [other, identity], 'f')).toEqual({ a: 'one' });
  });
});
