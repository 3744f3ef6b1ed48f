/** The config of a command, with what there is to say about it. */
import type { Config } from '../config/config.js';
import { type Diagnostic, formatDiagnostic } from '../config/diagnostics.js';
import { OxherdError } from '../model/error.js';
import { type ReadResult, readConfig } from '../session/config/read-config.js';
import type { CliContext } from './context.js';
import { withProtectedProxmox } from './protected-proxmox.js';
import { printDiagnostics } from './views/diagnostics.js';

/** Warnings that a command has shown: one that reads the file several times, such as `upgrade`, shows each once. */
const shown = new WeakMap<CliContext, Set<string>>();

function untold(context: CliContext, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const told = shown.get(context) ?? new Set();
  shown.set(context, told);
  return diagnostics.filter((diagnostic) => {
    if (diagnostic.severity === 'error') return true;
    const key = `${diagnostic.code} ${diagnostic.file}:${diagnostic.line} ${diagnostic.message}`;
    const isNew = !told.has(key);
    told.add(key);
    return isNew;
  });
}

/** For commands that need a valid config: prints warnings, and errors before it gives up. */
export function requireConfig(
  context: CliContext,
  read: (context: CliContext) => ReadResult = readConfig,
): { config: Config; directory: string } {
  const { config, directory, diagnostics } = read(context);
  if (!context.globals.json) printDiagnostics(context, untold(context, diagnostics));
  if (config) {
    const real = context.target.kind === 'proxmox';
    return { config: real ? withProtectedProxmox(config, context.env) : config, directory };
  }
  const errors = diagnostics.filter((d) => d.severity === 'error');
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  const details = context.globals.json ? `:\n${errors.map((d) => formatDiagnostic(d)).join('\n')}` : '';
  throw new OxherdError('config.invalid', `${context.globals.config} has ${count}${details}`, {
    advice: 'correct the config, then check it with `oxherd validate`',
  });
}
