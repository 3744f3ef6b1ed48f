/** The versions in the user's file: changed in place, everything around them as it was. */
import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { formatDiagnostic } from '../config/diagnostics.js';
import { replaceScalar } from '../config/edit.js';
import { loadConfig } from '../config/load.js';
import { OxherdError } from '../model/error.js';
import { compareVersions, formatVersion } from '../model/version.js';
import type { Versions } from '../plan/machines/upgrade-path.js';
import { configFiles } from './config-files.js';
import type { CliContext } from './context.js';

/** Only oxherd.yaml can be edited: other tools' files are theirs to change. */
export function editableConfig({ cwd, globals }: CliContext): string {
  const files = configFiles(cwd, globals.config);
  if (files.kind === 'yaml') return resolve(cwd, files.path);
  throw new OxherdError('upgrade.foreign-file', `${globals.config} is not oxherd.yaml, so it is not edited`, {
    advice: 'convert it with `oxherd convert`, or change the versions in it by hand and run `oxherd apply`',
  });
}

/** Checked before it is written: a file that would not load is left as it was. */
export function writeVersions(path: string, { talos, kubernetes }: Versions): void {
  const text = readFileSync(path, 'utf8');
  const edited = replaceScalar(
    replaceScalar(text, ['talos', 'version'], formatVersion(talos)),
    ['cluster', 'kubernetes'],
    formatVersion(kubernetes),
  );
  if (edited === text) return;
  const { config, diagnostics } = loadConfig({
    path,
    text: edited,
    readText: (name) => readBeside(path, name),
  });
  if (!config) {
    const errors = diagnostics.filter((one) => one.severity === 'error').map((one) => formatDiagnostic(one));
    throw new OxherdError(
      'upgrade.config',
      `with these versions the file is not valid:\n${errors.join('\n')}`,
      {
        advice: 'the file was not changed; correct what the errors name, then run `oxherd upgrade` again',
      },
    );
  }
  replaceFile(path, edited);
}

export function sameVersions(a: Versions, b: Versions): boolean {
  return compareVersions(a.talos, b.talos) === 0 && compareVersions(a.kubernetes, b.kubernetes) === 0;
}

function readBeside(path: string, name: string): string | undefined {
  try {
    return readFileSync(resolve(dirname(path), name), 'utf8');
  } catch {
    return undefined;
  }
}

/** With the mode it had, and through a link if it is one; never half-written. */
function replaceFile(path: string, text: string): void {
  const real = realpathSync(path);
  const temporary = join(dirname(real), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode: statSync(real).mode & 0o777, flag: 'wx' });
    renameSync(temporary, real);
  } finally {
    rmSync(temporary, { force: true });
  }
}
