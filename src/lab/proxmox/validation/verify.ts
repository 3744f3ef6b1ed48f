/** The message of what is wrong with a text, or nothing. */
export type Verify = (text: string) => string | undefined;

export const when = (good: boolean, message: string) => (good ? undefined : message);
export const matches =
  (pattern: RegExp, message: (text: string) => string): Verify =>
  (text) =>
    when(pattern.test(text), message(text));
