/** A problem in the config, where it is, and what to write instead. */

import { compareText } from '../model/natural-order.js';
import type { Position } from './yaml/position.js';

export type Severity = 'error' | 'warning';

export interface Diagnostic extends Position {
  readonly severity: Severity;
  /** Stable, machine-readable: `config.unknown-key`, `node.duplicate-address`, … */
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The line with a mark under the place; '' where there is no line. */
  readonly frame: string;
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === 'error');
}

/** File, then place, then errors before warnings: the same problems always print in the same order. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      compareText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      compareText(a.severity, b.severity) ||
      compareText(a.code, b.code) ||
      compareText(a.message, b.message),
  );
}

const MAX_FRAME_WIDTH = 100;

/** One line of the source with a caret; long lines are cut around the place. */
export function codeFrame(lines: readonly string[], line: number, column: number): string {
  const source = lines[line - 1];
  if (source === undefined || source.trim() === '') return '';
  const start = column > MAX_FRAME_WIDTH - 20 ? column - 40 : 0;
  const cut = source.slice(start, start + MAX_FRAME_WIDTH).replaceAll('\t', ' ');
  const before = start > 0 ? '…' : '';
  const after = start + MAX_FRAME_WIDTH < source.length ? '…' : '';
  const gutter = `${line} | `;
  const caret = ' '.repeat(gutter.length - 2 + before.length + column - start);
  return `${gutter}${before}${cut}${after}\n${' '.repeat(gutter.length - 2)}|${caret.slice(gutter.length - 2)}^`;
}

interface Paint {
  severity(severity: Severity, text: string): string;
  place(text: string): string;
  hint(text: string): string;
}

const PLAIN: Paint = { severity: (_, text) => text, place: (text) => text, hint: (text) => text };

export function formatDiagnostic(d: Diagnostic, paint: Paint = PLAIN): string {
  const place = d.line > 0 ? `${d.file}:${d.line}:${d.column}` : d.file;
  const lines = [`${paint.place(place)} ${paint.severity(d.severity, d.severity)} ${d.message}`];
  if (d.frame) lines.push(...d.frame.split('\n').map((line) => `  ${line}`));
  if (d.hint) lines.push(`  ${paint.hint(d.hint)}`);
  return lines.join('\n');
}
