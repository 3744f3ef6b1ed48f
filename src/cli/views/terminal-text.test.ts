import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paint } from './paint.js';
import { cleanStream, ownEscape, rawStream, withoutControls } from './terminal-text.js';

function through(json: boolean, ...chunks: string[]): string {
  const stream = new PassThrough();
  const cleaned = cleanStream(stream, json);
  for (const chunk of chunks) cleaned.write(chunk);
  return String(stream.read() ?? '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not come through
const STEERING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

describe('text of other systems', () => {
  it.each([
    ['colours', 'a\x1b[31mred\x1b[0m', 'ared'],
    ['a title', 'a\x1b]0;owned\x07b', 'ab'],
    ['a link', '\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\', 'text'],
    ['a cleared screen', 'a\x1b[2J\x1b[Hb', 'ab'],
    ['the clipboard', '\x1b]52;c;cm0gLXJm\x07x', 'x'],
    ['C1', 'a\x9b31mb\x9d0;t\x9cc\x85', 'abc'],
    ['an overwritten line', 'removed: none\rremoved: all', 'removed: none removed: all'],
    ['backspaces', 'safe\b\b\b\bevil', 'safeevil'],
    ['direction', 'a\u202egpj.exe\u2066b\u200f', 'agpj.exeb'],
    ['an unfinished sequence', 'a\x1b[', 'a'],
    ['an unfinished title', 'a\x1b]0;x\nb', 'a\nb'],
    ['lines and tabs', 'a\r\nb\tc\n', 'a\nb\tc\n'],
    ['letters', 'Größe 日本 🐂', 'Größe 日本 🐂'],
  ])('loses %s', (_, text, left) => {
    expect(withoutControls(text)).toBe(left);
    expect(through(false, text)).toBe(left);
  });

  it('never steers, whatever it is, and JSON still means the same', () => {
    const part = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '\x9b',
      '31m',
      '\x07',
      '\u202e',
      '\r',
      '\n',
      'a',
      '{',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ unit: 'binary' }))), (parts) => {
        const text = parts.join('');
        expect(through(false, text)).not.toMatch(STEERING);
        const json = through(true, `${JSON.stringify({ text })}\n`);
        expect(json).not.toMatch(STEERING);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });

  it('takes as long as it is', () => {
    const begun = process.cpuUsage();
    for (const piece of ['\x1b[', '\x1b]', '\x1b]0', '\x9b0', '\x1b\x1b', '\x1b ', 'a\r'])
      withoutControls(piece.repeat(500_000));
    const { user } = process.cpuUsage(begun);
    expect(user / 1e6).toBeLessThan(3);
  });
});

describe('our own escapes', () => {
  it('get through, nested colours too', () => {
    const { red, bold } = paint(true);
    expect(through(false, red(`a${red('b')}c`))).toBe('\x1b[31ma\x1b[31mb\x1b[31mc\x1b[39m');
    expect(through(false, bold('x\x1b[2Jy'))).toBe('\x1b[1mxy\x1b[22m');
    expect(through(false, ownEscape('[2J'))).toBe('\x1b[2J');
    expect(paint(false).red('x')).toBe('x');
  });

  it('leave the stream itself to prompts', () => {
    const stream = new PassThrough();
    expect(rawStream(cleanStream(stream, false))).toBe(stream);
    expect(rawStream(stream)).toBe(stream);
  });
});
