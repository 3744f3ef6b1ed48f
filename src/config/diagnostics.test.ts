import { describe, expect, it } from 'vitest';
import { codeFrame, type Diagnostic, formatDiagnostic, sortDiagnostics } from './diagnostics.js';

describe('codeFrame', () => {
  it('marks the place', () => {
    expect(codeFrame(['a: 1', 'bad: x'], 2, 6)).toBe('2 | bad: x\n  |      ^');
  });

  it('cuts long lines around the place', () => {
    const [line = '', mark = ''] = codeFrame([`${'x'.repeat(200)}HERE${'y'.repeat(200)}`], 1, 201).split(
      '\n',
    );
    expect(line.length).toBeLessThan(120);
    expect(line.slice(mark.indexOf('^'), mark.indexOf('^') + 4)).toBe('HERE');
  });

  it('shows a tab as one column, as it is counted', () => {
    expect(codeFrame(['\tx'], 1, 2)).toBe('1 |  x\n  |  ^');
  });

  it('is empty where there is no line', () => {
    expect(codeFrame([], 1, 1)).toBe('');
    expect(codeFrame(['  '], 1, 1)).toBe('');
  });
});

const diagnostic = (changes: Partial<Diagnostic>): Diagnostic => ({
  severity: 'error',
  code: 'config.value',
  message: 'wrong',
  file: 'oxherd.yaml',
  line: 1,
  column: 1,
  frame: '',
  ...changes,
});

describe('diagnostics', () => {
  it('are told in the order of oxherd.yaml', () => {
    const [a, b, c, d] = [
      { line: 2 },
      { line: 1, column: 9 },
      { line: 1 },
      { severity: 'warning' as const, line: 1 },
    ].map(diagnostic);
    expect(sortDiagnostics([a, b, c, d].filter((each) => each !== undefined))).toEqual([c, d, b, a]);
  });

  it('print place, frame and advice', () => {
    expect(formatDiagnostic(diagnostic({ frame: '1 | a\n  | ^', hint: 'do b' }))).toBe(
      'oxherd.yaml:1:1 error wrong\n  1 | a\n    | ^\n  do b',
    );
  });
});
