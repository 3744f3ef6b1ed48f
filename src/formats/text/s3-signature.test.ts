/** The examples of "Authenticating Requests (AWS Signature Version 4)" in the Amazon S3 API reference. */
import { expect, it } from 'vitest';
import { sha256Hex } from './hash.js';
import { EMPTY_PAYLOAD, type S3Request, s3Target, signS3 } from './s3-signature.js';

const CREDENTIALS = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const WHEN = { region: 'us-east-1', now: Date.UTC(2013, 4, 24) };
const host = 'examplebucket.s3.amazonaws.com';

const EXAMPLES: [string, S3Request, string][] = [
  [
    'GET object',
    { method: 'GET', host, path: '/test.txt', headers: { range: 'bytes=0-9' }, payload: EMPTY_PAYLOAD },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT object',
    {
      method: 'PUT',
      host,
      path: '/test$file.text',
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      payload: sha256Hex('Welcome to Amazon S3.'),
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'GET bucket lifecycle',
    { method: 'GET', host, path: '/', query: { lifecycle: '' }, payload: EMPTY_PAYLOAD },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'GET bucket (list objects)',
    { method: 'GET', host, path: '/', query: { prefix: 'J', 'max-keys': '2' }, payload: EMPTY_PAYLOAD },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
];

it.each(EXAMPLES)('signs %s as the reference does', (_, request, signature) => {
  const { authorization = '' } = signS3(request, CREDENTIALS, WHEN);
  expect(authorization).toContain(`Signature=${signature}`);
  expect(authorization).not.toContain(CREDENTIALS.secretKey);
});

it('signs the token of temporary credentials', () => {
  const [, request] = EXAMPLES[0] as (typeof EXAMPLES)[0];
  const signed = signS3(request, { ...CREDENTIALS, sessionToken: 'abc' }, WHEN);
  expect(signed['x-amz-security-token']).toBe('abc');
  expect(signed.authorization).toContain('x-amz-date;x-amz-security-token');
});

it('encodes path and query in one way', () => {
  const target = s3Target({ path: "/b/a b/it's*(1)+ü", query: { 'list-type': '2', prefix: 'x/y z' } });
  expect(target).toBe('/b/a%20b/it%27s%2A%281%29%2B%C3%BC?list-type=2&prefix=x%2Fy%20z');
});
