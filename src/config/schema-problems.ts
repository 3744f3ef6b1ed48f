/** What the schema refuses, in words that say what to write instead. */
import type { z } from 'zod';
import { MAX_PROBLEMS, type Problem } from './report.js';
import { fileSchema } from './schema/file.js';
import { exampleFor, knownKeys, sectionsWith } from './schema/known-keys.js';
import { show } from './schema/values.js';
import { suggest } from './suggest.js';
import { synonymOf } from './synonyms.js';
import { formatPath, type Path } from './yaml/position.js';

type Issue = z.core.$ZodIssue;

/** One problem per mistake, up to a limit; `raw` is what the user wrote. */
export function schemaProblems(issues: readonly Issue[], raw: unknown): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues) {
    if (problems.length >= MAX_PROBLEMS) break;
    problems.push(...problemsOf(issue, [], raw));
  }
  return problems.slice(0, MAX_PROBLEMS);
}

function valueAt(raw: unknown, path: Path): unknown {
  let value = raw;
  for (const step of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

function problemsOf(issue: Issue, base: Path, raw: unknown): Problem[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  const found = valueAt(raw, path);
  if (found === undefined && issue.code !== 'unrecognized_keys') return [missing(path)];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.slice(0, MAX_PROBLEMS).map((key) => unknownKey(path, key));
    case 'invalid_union':
      return unionProblems(issue, path, found, raw);
    case 'invalid_value':
      return [notAmong(path, found, issue.values.map(String))];
    case 'invalid_type':
      return [wrongType(path, found, issue)];
    case 'too_small':
    case 'too_big':
      return [outOfRange(path, found, issue)];
    case 'custom':
      return [refused(path, issue)];
    default:
      return [{ code: 'config.value', path, message: named(path, issue.message) }];
  }
}

/** A value of our own: its words come with it, the advice after a semicolon. */
function refused(path: Path, issue: z.core.$ZodIssueCustom): Problem {
  const [message = '', advice] = issue.message.split('; ');
  const example = exampleFor(fileSchema, path) ?? issue.params?.example;
  const hint =
    issue.params?.hint ?? advice ?? (example === undefined ? undefined : `write it like \`${example}\``);
  return {
    code: typeof issue.params?.code === 'string' ? issue.params.code : 'config.value',
    path,
    message: named(path, message),
    ...(typeof hint === 'string' && { hint }),
  };
}

function named(path: Path, message: string): string {
  return path.length > 0 ? `\`${formatPath(path)}\`: ${message}` : message;
}

function whereOf(path: Path): string {
  return path.length > 0 ? `\`${formatPath(path)}\`` : 'the file';
}

function missing(path: Path): Problem {
  const key = String(path.at(-1));
  const example = exampleFor(fileSchema, path);
  return {
    code: 'config.missing',
    path,
    message: `${whereOf(path.slice(0, -1))} needs \`${key}\``,
    ...(example !== undefined && { hint: `for example \`${key}: ${example}\`` }),
    at: 'key',
  };
}

function unknownKey(path: Path, key: string): Problem {
  const known = knownKeys(fileSchema, path);
  const meant = synonymOf(key, known) ?? suggest(key, known);
  const elsewhere = sectionsWith(fileSchema, key).map((section) => `\`${section}\``);
  const hint = known.includes(key)
    ? 'this type does not use it: remove it'
    : meant !== undefined
      ? `did you mean \`${meant}\`?`
      : elsewhere.length > 0
        ? `it belongs to ${elsewhere.join(' or ')}`
        : `known here: ${known.join(', ')}`;
  return {
    code: 'config.unknown-key',
    path: [...path, key],
    message: `${whereOf(path)} has no key \`${key}\``,
    hint,
    at: 'key',
  };
}

function notAmong(path: Path, found: unknown, values: readonly string[]): Problem {
  const meant = typeof found === 'string' ? suggest(found, values) : undefined;
  return {
    code: 'config.value',
    path,
    message: named(path, `${show(found)} is not one of ${values.map((value) => `\`${value}\``).join(', ')}`),
    ...(meant !== undefined && { hint: `did you mean \`${meant}\`?` }),
  };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: '`true` or `false`',
  object: 'a mapping (`key: value`)',
  record: 'a mapping (`key: value`)',
  array: 'a list',
};

function wrongType(path: Path, found: unknown, issue: z.core.$ZodIssueInvalidType): Problem {
  const expected = TYPE_WORDS[issue.expected] ?? issue.expected;
  const isOurs = !issue.message.startsWith('Invalid input');
  if (!isOurs || found === null) {
    const message = named(path, `expected ${expected}, found ${show(found)}`);
    return { code: 'config.type', path, message, ...typeHint(found, issue.expected) };
  }
  return { ...refused(path, { code: 'custom', path: [], message: issue.message }), code: 'config.type' };
}

function typeHint(found: unknown, expected: string): { hint?: string } {
  if (found === null) return { hint: 'give it a value, or remove the key' };
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) {
    return { hint: `put it in quotes: '${String(found)}'` };
  }
  if ((expected === 'int' || expected === 'number') && typeof found === 'string' && /^\d+$/.test(found)) {
    return { hint: `write it without quotes: ${found}` };
  }
  if (expected === 'boolean' && typeof found === 'string' && /^(yes|on|no|off)$/i.test(found)) {
    return { hint: `write \`${/^(yes|on)$/i.test(found)}\`` };
  }
  return {};
}

function outOfRange(
  path: Path,
  found: unknown,
  issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall,
): Problem {
  const least = issue.code === 'too_small';
  const limit = String(least ? issue.minimum : issue.maximum);
  // A message of our own stands as it is.
  const own = !/^Too (small|big)/.test(issue.message);
  const bound = least ? `at least ${limit}` : `at most ${limit}`;
  const words =
    issue.origin === 'array'
      ? `the list needs ${bound} ${limit === '1' ? 'entry' : 'entries'}`
      : issue.origin === 'string'
        ? `the text must have ${bound} characters`
        : `${show(found)} is out of range: ${bound}`;
  return { code: 'config.range', path, message: named(path, own ? issue.message : words) };
}

/** Of several shapes the user meant the one that went furthest. */
function unionProblems(
  issue: z.core.$ZodIssueInvalidUnion,
  path: Path,
  found: unknown,
  raw: unknown,
): Problem[] {
  if ('options' in issue && Array.isArray(issue.options))
    return [notAmong(path, found, issue.options.map(String))];
  const branches = issue.errors.filter(
    (errors) => !errors.some((error) => error.path.length === 0 && isTypeMismatch(error)),
  );
  const chosen = branches[0];
  if (chosen) return chosen.flatMap((error) => problemsOf(error, path, raw));
  const expected = issue.errors.flatMap((errors) => errors.map(expectedWords));
  return [
    {
      code: 'config.type',
      path,
      message: named(path, `expected ${[...new Set(expected)].join(' or ')}, found ${show(found)}`),
      ...typeHint(found, ''),
    },
  ];
}

function isTypeMismatch(issue: Issue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function expectedWords(issue: Issue): string {
  if (issue.code === 'invalid_value') return issue.values.map((value) => `\`${String(value)}\``).join(' or ');
  return issue.code === 'invalid_type' ? (TYPE_WORDS[issue.expected] ?? issue.expected) : issue.message;
}
