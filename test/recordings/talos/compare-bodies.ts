/** Whether a body says what the recorded one says. Bodies of lists may be longer where the lab's machine has more. */
import { parse } from 'yaml';

/**
 * The README of the recordings: services, disks and stages are those of a simulated machine, so their values do not
 * count; names, types, order and encoding do.
 */
const SIMULATED = [
  // The platform's mode is another on real machines: `cloud` for nocloud.
  /\.platform\.mode$/,
  /\.bookmark$/,
];

interface Comparison {
  readonly fill: (text: string) => string;
  /** Paths that the real handler answers in another way, as its source says. */
  readonly except: readonly RegExp[];
}

/** Paths where the answer lacks something of the recorded body, or says something else. */
export function bodyDifferences(
  expected: unknown,
  actual: unknown,
  comparison: Comparison,
  path = '',
): string[] {
  if (comparison.except.some((pattern) => pattern.test(path))) return [];
  if (Array.isArray(expected)) return listDifferences(expected, actual, comparison, path);
  if (typeof expected === 'object' && expected !== null) {
    const proto = isSpec(expected) && isSpec(actual) ? protoDifferences(expected, actual, path) : [];
    return [
      ...proto,
      ...Object.entries(expected).flatMap(([key, value]) =>
        key === 'proto_spec' ? [] : bodyDifferences(value, Object(actual)[key], comparison, `${path}.${key}`),
      ),
    ];
  }
  if (SIMULATED.some((pattern) => pattern.test(path))) {
    return actual === undefined ? [`${path}: missing`] : [];
  }
  if (typeof expected !== 'string') return valueDifferences(expected, actual, path);
  const text = comparison.fill(expected);
  if (path.endsWith('.yaml_spec')) return yamlDifferences(text, actual, path);
  // Real machines tell the difference behind it.
  if (path.endsWith('.mode_details') && String(actual).startsWith(text)) return [];
  if (!/<[a-z -]+>/.test(text)) return valueDifferences(text, actual, path);
  return matchesMask(text, String(actual ?? '')) ? [] : [`${path}: ${String(actual)}`];
}

function listDifferences(
  expected: readonly unknown[],
  actual: unknown,
  comparison: Comparison,
  path: string,
): string[] {
  if (!Array.isArray(actual)) return expected.length === 0 ? [] : [`${path}: not a list`];
  if (actual.length < expected.length) return [`${path}: ${actual.length} instead of ${expected.length}`];
  // Answers of several nodes come in the order in which they arrive.
  const byHost = (items: readonly unknown[]) =>
    [...items].sort((a, b) => (hostOf(a, comparison.fill) < hostOf(b, comparison.fill) ? -1 : 1));
  const found = path.endsWith('.messages') ? byHost(actual) : actual;
  const wanted = path.endsWith('.messages') ? byHost(expected) : expected;
  return wanted.flatMap((one, index) => bodyDifferences(one, found[index], comparison, `${path}[${index}]`));
}

function hostOf(message: unknown, fill: (text: string) => string): string {
  return fill(String(Object(Object(message).metadata).hostname ?? ''));
}

interface Spec {
  readonly yaml_spec: string;
  readonly proto_spec?: string;
}

function isSpec(value: unknown): value is Spec {
  return typeof value === 'object' && value !== null && 'yaml_spec' in value;
}

/** The same values are the same bytes. */
function protoDifferences(expected: Spec, actual: Spec, path: string): string[] {
  if (expected.yaml_spec !== actual.yaml_spec || /^</.test(expected.proto_spec ?? '')) return [];
  return valueDifferences(expected.proto_spec, actual.proto_spec, `${path}.proto_spec`);
}

function valueDifferences(expected: unknown, actual: unknown, path: string): string[] {
  const same = JSON.stringify(expected) === JSON.stringify(actual);
  return same ? [] : [`${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

/** Keys in the same order with values of the same type; what is empty may be left out. */
function yamlDifferences(expected: string, actual: unknown, path: string): string[] {
  if (typeof actual !== 'string') return [`${path}: missing`];
  return shapeDifferences(parse(expected), parse(actual), path);
}

function shapeDifferences(expected: unknown, actual: unknown, path: string): string[] {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return expected.length > 0 && actual.length > 0
      ? shapeDifferences(expected[0], actual[0], `${path}[]`)
      : [];
  }
  if (!isMapping(expected) || !isMapping(actual)) {
    return typeof expected === typeof actual ? [] : [`${path}: a ${typeof actual}, not a ${typeof expected}`];
  }
  const common = Object.keys(expected).filter((key) => key in actual);
  const order = Object.keys(actual).filter((key) => key in expected);
  const missing = Object.entries(expected)
    .filter(([key, value]) => !(key in actual) && typeof value !== 'string' && !Array.isArray(value))
    .map(([key]) => `${path}.${key}: missing`);
  const misplaced = common.join() === order.join() ? [] : [`${path}: in the order ${order.join()}`];
  return [
    ...missing,
    ...misplaced,
    ...common.flatMap((key) => shapeDifferences(expected[key], actual[key], `${path}.${key}`)),
  ];
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function matchesMask(mask: string, text: string): boolean {
  const parts = mask.split(/<[a-z -]+>/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]+')}$`).test(text);
}
