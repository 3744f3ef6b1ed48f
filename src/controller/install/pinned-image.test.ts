import { describe, expect, it } from 'vitest';
import { OxherdError } from '../../model/error.js';
import { parsePinnedImage } from './pinned-image.js';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('the image of the controller', () => {
  it.each([
    `registry.example.com/oxherd@${DIGEST}`,
    `registry.example.com:5000/team/fleet-oxherd:0.1.0@${DIGEST}`,
    `localhost:5000/a/b/c@${DIGEST}`,
    `oxherd@${DIGEST}`,
  ])('may be %s', (image) => expect(parsePinnedImage(image)).toBe(image));

  it.each([
    undefined,
    '',
    'oxherd',
    'registry.example.com/oxherd',
    'registry.example.com/oxherd:0.1.0',
    'registry.example.com/oxherd@sha256:',
    `registry.example.com/oxherd@${DIGEST.slice(0, -1)}`,
    `registry.example.com/oxherd@${DIGEST}0`,
    `registry.example.com/oxherd@${DIGEST.toUpperCase()}`,
    `registry.example.com/oxherd@md5:${'0'.repeat(64)}`,
    `registry.example.com/Oxherd@${DIGEST}`,
    `https://registry.example.com/oxherd@${DIGEST}`,
    `registry.example.com/oxherd@${DIGEST}\nother`,
    `a b@${DIGEST}`,
    `@${DIGEST}`,
  ])('cannot be %j, and the message has an example', (image) => {
    const refusal = (() => {
      try {
        return parsePinnedImage(image);
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(OxherdError);
    expect(refusal).toMatchObject({
      code: 'fleet.image',
      advice: expect.stringContaining('--image registry.example.com/oxherd@sha256:DIGEST'),
    });
  });
});
