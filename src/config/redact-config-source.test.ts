import { describe, expect, it } from 'vitest';
import { redactConfigSource } from './secret-ref.js';

describe('redactConfigSource', () => {
  it.each([
    ['token: abc123', 'token: ******'],
    ['  api_token: "abc 123"  # x', '  api_token: *********  # x'],
    ['{ password: abc, user: x }', '{ password: ***, user: x }'],
    ["'client-secret': 'a'", "'client-secret': ***"],
    ['password: a,b}c', 'password: *****'],
    ['{ token: a, secret: "b, c" }', '{ token: *, secret: ****** }'],
    ['x: root@pam!t=01234567-89ab', 'x: ************************'],
    [
      '{"auth":{"username":"ox","password":"hunter22"}}',
      `{"auth":{"username":"ox","password":${'*'.repeat(10)}}}`,
    ],
  ])('redacts %s', (text, redacted) => {
    expect(redactConfigSource(text)).toBe(redacted);
  });

  it.each([
    'token: env:TOKEN',
    'token: sops:s.yaml#a.b',
    'sealedSecrets: true',
    'sealedSecrets: { generate: true }',
    'secrets:\n  nested: yes',
    'name: tokenizer',
  ])('leaves %j', (text) => {
    expect(redactConfigSource(text)).toBe(text);
  });

  it('keeps lines and columns', () => {
    const text = 'a: 1\npassword: some thing\nb: 2\n';
    expect(
      redactConfigSource(text)
        .split('\n')
        .map((line) => line.length),
    ).toEqual(text.split('\n').map((line) => line.length));
  });
});
