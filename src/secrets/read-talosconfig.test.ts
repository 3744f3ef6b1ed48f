import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { OxherdError } from '../model/error.js';
import { encodePem, toBase64Pem } from './pem.js';
import { readTalosconfig } from './read-talosconfig.js';

const pem = toBase64Pem(encodePem({ label: 'CERTIFICATE', der: new Uint8Array([1]) }));
const own = { endpoints: ['10.0.0.1'], ca: pem, crt: pem, key: pem };
const omni = { endpoints: ['https://omni.example.com'], auth: { siderov1: { identity: 'me' } } };

describe('a talosconfig', () => {
  it('gives the context that it has chosen, whatever the others are', () => {
    const text = stringify({ context: 'own', contexts: { omni, own, half: null } });
    expect(readTalosconfig(text, 't').endpoints).toEqual(['10.0.0.1']);
  });

  it.each([
    { context: 'omni', contexts: { omni, own } },
    { context: 'gone', contexts: { own } },
    { context: 'constructor', contexts: { own } },
    { context: 'own', contexts: [] },
    { contexts: { own } },
    null,
  ])('is refused without a usable one: %j', (value) => {
    expect(() => readTalosconfig(stringify(value), 't')).toThrow(OxherdError);
  });
});
