/** Changes to the user's file: checked before it is written, never half-written. */
import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.js';
import { formatDiagnostic } from '../../config/diagnostics.js';
import { loadConfig } from '../../config/load.js';
import { OxherdError } from '../../model/error.js';
import type { SessionContext } from '../context.js';
import { configFiles } from './config-files.js';
import { textsIn } from './read-config.js';

/** The text that an edit was made from, and what it makes of it. */
interface Edit {
  readonly before: string;
  readonly after: string;
}

/** The question before lines that were shown are written. */
export function writeQuestion(file: string): string {
  return `Write these lines to ${file}?`;
}

/** Only oxherd.yaml can be edited: other tools' files are theirs to change. */
export function editableConfig(
  { cwd, configPath }: Pick<SessionContext, 'cwd' | 'configPath'>,
  code: string,
  byHand: string,
): string {
  const files = configFiles(cwd, configPath);
  if (files.kind === 'yaml') return resolve(cwd, files.path);
  throw new OxherdError(code, `${configPath} is not oxherd.yaml, so it is not edited`, {
    advice: `convert it with \`oxherd convert\`, or ${byHand}`,
  });
}

/** What the file would say; one that would not load is left as it was. */
export function checkEdited(
  path: string,
  edited: string,
  error: { readonly code: string; readonly message: string; readonly advice: string },
): Config {
  const { config, diagnostics } = loadConfig({
    path,
    text: edited,
    readText: textsIn(dirname(path)),
  });
  if (config) return config;
  const errors = diagnostics.filter((one) => one.severity === 'error').map((one) => formatDiagnostic(one));
  throw new OxherdError(error.code, `${error.message}:\n${errors.join('\n')}`, { advice: error.advice });
}

/**
 * With the mode it had, and through a link if it is one; never half-written. Only while the file is still the one that the
 * edit was made from: a person may take long to answer.
 */
export function replaceFile(path: string, { before, after }: Edit): void {
  const real = realpathSync(path);
  const temporary = join(dirname(real), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, after, { mode: statSync(real).mode & 0o777, flag: 'wx' });
    if (readFileSync(real, 'utf8') !== before)
      throw new OxherdError('config.changed', `${path} has changed meanwhile: nothing was written`, {
        where: path,
        advice: 'look at the new file, then run it again',
      });
    renameSync(temporary, real);
  } finally {
    rmSync(temporary, { force: true });
  }
}
