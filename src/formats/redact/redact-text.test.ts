import { describe, expect, it } from 'vitest';
import { redactedTextsOf } from './redact-object.js';
import { redactStrings, redactText } from './redact-text.js';

describe('redactText', () => {
  it.each([
    ['-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----', '(redacted)'],
    ['token root@pam!ci=0123-4567-89ab is bad', 'token root@pam!ci=(redacted) is bad'],
    ['GET https://me:pw@host/x', 'GET https://(redacted)@host/x'],
    ['Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.x', 'Authorization: Bearer (redacted)'],
    ['node cp-1 at https://10.0.0.1:6443', 'node cp-1 at https://10.0.0.1:6443'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
    expect(redactText(redactText(text))).toBe(expected);
  });

  it('takes out values in every form they come back in', () => {
    const hidden = ['line one\nline "two"', 'short', 'ab'];
    expect(redactText('got "line one\\nline \\"two\\"" and short, ab', hidden)).toBe(
      'got "(redacted)" and (redacted), ab',
    );
    expect(redactText('line 2: line one', hidden)).toBe('line 2: (redacted)');
  });

  it('takes long texts in its stride', () => {
    const long = `${'x'.repeat(200_000)} ${'a.'.repeat(100_000)} ${'-'.repeat(100_000)}`;
    const begun = performance.now();
    expect(redactText(long)).toBe(long);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('reaches every string of a document', () => {
    const event = { a: [{ b: 'root@pam!x=0123456789' }], n: 1 };
    expect(redactStrings(event)).toEqual({ a: [{ b: 'root@pam!x=(redacted)' }], n: 1 });
  });
});

describe('what an API server repeats of an object', () => {
  const planted = [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, stringData: { name: 'p4ssword-1' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' }, data: { password: btoa('p4ssword-1') } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { key: 'p4ssword-1' } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'x', annotations: { note: 'p4ssword-1' } },
      spec: {
        containers: [{ name: 'c', env: [{ name: 'TOKEN', value: 'p4ssword-1' }], args: ['p4ssword-1'] }],
      },
    },
  ];

  it.each(planted)('of $kind', (object) => {
    const stored = btoa('p4ssword-1');
    const answer = `${object.kind} "x" is invalid: Invalid value: "p4ssword-1" (${stored})`;
    const told = redactText(answer, redactedTextsOf(object));
    expect(told).toContain(`${object.kind} "x" is invalid`);
    expect(told).not.toContain('p4ssword-1');
    if (object.kind === 'Secret') expect(told).not.toContain(stored);
  });

  it('but its name, where a label says the same', () => {
    const object = {
      kind: 'Pool',
      metadata: { name: 'oxherd', labels: { by: 'oxherd', tier: 'secret-tier' } },
    };
    const told = redactText('Pool "oxherd" is invalid: secret-tier', redactedTextsOf(object));
    expect(told).toBe('Pool "oxherd" is invalid: (redacted)');
  });
});
