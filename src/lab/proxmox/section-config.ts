/** What all files of sections have in common (pve-common, PVE/SectionConfig.pm). */
import { createHash } from 'node:crypto';
import { PveError } from './api.js';

export type Settings = Record<string, string | number>;

interface SectionOption {
  readonly optional: boolean;
  /** Given once, when the section is made. */
  readonly fixed: boolean;
}
export type SectionOptions = ReadonlyMap<string, SectionOption>;

/** `name!`: fixed and required; `name!?`: fixed, not required; `name+`: required; anything else may come, change and go. */
export function sectionOptions(...lists: readonly string[]): Map<string, SectionOption> {
  const words = lists.join(' ').split(' ');
  return new Map(
    words.map((word) => {
      const [, name = '', mark = ''] = /^([^!?+]+)([!?+]*)$/.exec(word) ?? [];
      return [name, { fixed: mark.startsWith('!'), optional: mark !== '!' && mark !== '+' }];
    }),
  );
}

/** An option of another type, or a fixed one afterwards, is refused; a new section has all that are required. */
export function checkSection(options: SectionOptions, given: Readonly<Settings>, create: boolean): Settings {
  for (const [name, value] of Object.entries(given)) {
    const option = options.get(name);
    if (option?.fixed && !create) throw new PveError(500, `can't change value of fixed parameter '${name}'`);
    if (!option) throw new PveError(500, `unexpected property '${name}'`);
    if (/[\n\r]/.test(String(value))) throw new PveError(500, 'property contains a line feed');
  }
  const missing = [...options].find(([name, { optional }]) => !optional && given[name] === undefined);
  if (create && missing) throw new PveError(500, `missing value for required option '${missing[0]}'`);
  return { ...given };
}

/** What is seen only when the file is written: an option that was removed though it has to be there. */
export function requireWhole(id: string, options: SectionOptions, section: Readonly<Settings>): void {
  for (const [name, { optional }] of options) {
    if (!optional && section[name] === undefined) {
      throw new PveError(500, `section '${id}' - missing value for required option '${name}'`);
    }
  }
}

/** Perl's own words of a section that is not there, and so has no type. */
export function withoutType(): PveError {
  return new PveError(
    500,
    'cannot lookup undefined type! at /usr/share/perl5/PVE/SectionConfig.pm line 812.',
  );
}

/** `delete_from_config`: what is left, and the changes on top of it. */
export function changeSection(
  options: SectionOptions,
  section: Readonly<Settings>,
  changes: Readonly<Settings>,
  remove: readonly string[],
): Settings {
  const settings = { ...section };
  for (const name of remove) {
    const option = options.get(name);
    if (!option) throw new PveError(500, `no such option '${name}'`);
    if (!option.optional) throw new PveError(500, `unable to delete required option '${name}'`);
    if (option.fixed) throw new PveError(500, `unable to delete fixed option '${name}'`);
    if (changes[name] !== undefined) {
      throw new PveError(500, `cannot set and delete property '${name}' at the same time!`);
    }
    delete settings[name];
  }
  return { ...settings, ...changes };
}

/** An empty value is not there any more when the section is read again. */
export function withoutEmpty<T>(section: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== ''));
}

export function digestOfText(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('hex');
}

export function assertDigest(given: unknown, actual: string): void {
  if (given !== undefined && given !== '' && given !== actual) {
    throw new PveError(500, 'detected modified configuration - file changed by other user? Try again.');
  }
}
