import { type Diagnostic, formatDiagnostic } from '../../config/diagnostics.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';

/** Problems of the config on stderr, in the order of oxherd.yaml. */
export function printDiagnostics(context: CliContext, diagnostics: readonly Diagnostic[]): void {
  const colors = paint(context.globals.color);
  for (const diagnostic of diagnostics) {
    const text = formatDiagnostic(diagnostic, {
      severity: (severity, word) => (severity === 'error' ? colors.red(word) : colors.yellow(word)),
      place: colors.bold,
      hint: colors.cyan,
    });
    context.stderr.write(`${text}\n`);
  }
}
