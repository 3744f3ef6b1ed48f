/** What a schema refused, in words: `certs.os is missing`, not `expected object, received undefined`. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A pattern says nothing to whoever typed the value; the advice beside it does. */
const PATTERN = /^Invalid string: must match pattern /;
const EXPECTED = /^Invalid input: expected (.+), received (.+)$/;

export function issueText({ path, message }: Issue, whole = 'the file'): string {
  const name = path.map(String).join('.') || whole;
  if (PATTERN.test(message)) return `${name} is not valid`;
  const [, expected, received] = EXPECTED.exec(message) ?? [];
  if (received === undefined) return `${name}: ${message}`;
  return received === 'undefined' ? `${name} is missing` : `${name} is not ${withArticle(expected ?? '')}`;
}

function withArticle(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
