/** The versions in the user's file: changed in place, everything around them as it was. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import { replaceScalar } from '../../config/edit/edit.js';
import { compareVersions, formatVersion } from '../../model/version.js';
import type { Versions } from '../../plan/machines/upgrade-path.js';
import { checkEdited, replaceFile } from './edit-config-file.js';

/** Checked before it is written: a file that would not load is left as it was. */
export function writeVersions(path: string, versions: Versions): void {
  const { text, edited } = withVersions(path, versions);
  if (edited === text) return;
  checked(path, edited);
  replaceFile(path, { before: text, after: edited });
}

/** What the file would say with them; it stays as it is. */
export function configWithVersions(path: string, versions: Versions): Config {
  return checked(path, withVersions(path, versions).edited);
}

function withVersions(path: string, { talos, kubernetes }: Versions) {
  const text = readFileSync(path, 'utf8');
  const edited = replaceScalar(
    replaceScalar(text, ['talos', 'version'], formatVersion(talos)),
    ['cluster', 'kubernetes'],
    formatVersion(kubernetes),
  );
  return { text, edited };
}

function checked(path: string, edited: string): Config {
  return checkEdited(path, edited, {
    code: 'upgrade.config',
    message: 'with these versions the config is not valid',
    advice: 'nothing was written; correct the errors, then run `oxherd upgrade` again',
  });
}

export function sameVersions(a: Versions, b: Versions): boolean {
  return compareVersions(a.talos, b.talos) === 0 && compareVersions(a.kubernetes, b.kubernetes) === 0;
}
