/** Bad input of every kind: a clear message with the way out, no stack trace, and nothing is changed. */
import { describe, it } from 'vitest';
import { attemptBadInput } from '../support/bad-input/attempt.js';
import { BAD_CONFIGS, BAD_FILES, BAD_FLAGS } from '../support/bad-input/kinds.js';

describe('a bad config', () => {
  it.each(BAD_CONFIGS)('$what', (kind) => attemptBadInput(kind));
});

describe('bad flags', () => {
  it.each(BAD_FLAGS)('$what', (kind) => attemptBadInput(kind));
});

describe('bad tokens and files', () => {
  it.each(BAD_FILES)('$what', (kind) => attemptBadInput(kind));
});
