/** The message of what is wrong with a text, or nothing. */
export type Verify = (text: string) => string | undefined;

/** Perl's view of a text as a condition. */
export const isTrue = (text: string) => text !== '' && text !== '0';

export const when = (good: boolean, message: string) => (good ? undefined : message);

/** A pattern as Perl reads it: a line break may follow the end, and word characters are those of all scripts. */
export function perl(pattern: RegExp): RegExp {
  const source = pattern.source
    .replace(/\$$/, '\\n?$')
    .replaceAll('[\\w', '[\\p{L}\\p{M}\\p{N}_')
    .replaceAll('.\\w]', '.\\p{L}\\p{M}\\p{N}_]');
  return new RegExp(source, source.includes('\\p{') ? `${pattern.flags}u` : pattern.flags);
}

export function matches(pattern: RegExp, message: (text: string) => string): Verify {
  const compiled = perl(pattern);
  return (text) => when(compiled.test(text), message(text));
}
