import { type Diagnostic, formatDiagnostic } from '../../config/diagnostics.js';
import { OxherdError } from '../../model/error.js';
import type { LoadedConfig } from '../connect/site.js';
import { type ReadOptions, readConfig } from './read-config.js';

/**
 * A config from disk: `oxherd.yaml`, a `.tfvars` file, or a folder with `cluster.yaml` and `nodes.yaml`. Throws where it
 * has errors, with every one of them in the message; warnings are in `diagnostics`.
 */
export function readConfigFile(
  path: string,
  cwd = process.cwd(),
  options: ReadOptions = {},
): LoadedConfig & { readonly diagnostics: readonly Diagnostic[] } {
  const { config, directory, diagnostics } = readConfig({ cwd, configPath: path }, options);
  if (config) return { config, directory, diagnostics };
  const errors = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map((one) => formatDiagnostic(one));
  throw new OxherdError('config.invalid', `${path} is not valid:\n${errors.join('\n')}`, {
    advice: 'correct the file, then look again with `oxherd validate`',
  });
}
