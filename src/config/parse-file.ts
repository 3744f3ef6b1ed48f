/**
 * The schema over the whole file. What it refuses is reported and left out, so that the checks can still look
 * at the rest: all problems in one run.
 */

import { isMapping } from '../formats/text/mapping.js';
import { MAX_PROBLEMS, type Report } from './report.js';
import { type ConfigFile, fileSchema } from './schema/file.js';
import { schemaProblems } from './schema-problems.js';
import { isPrefix, type Path } from './yaml/position.js';

interface ParsedFile {
  /** Absent where too little is left to look at. */
  readonly file?: ConfigFile;
  /** Paths whose values were refused: what follows from them means nothing. */
  readonly broken: readonly Path[];
}

/** Stand-ins for required values that were refused. Checks that would look at them are skipped. */
const STAND_INS: Readonly<Record<string, unknown>> = {
  cluster: { name: 'unknown', kubernetes: 'v1.0.0' },
  talos: { version: 'v1.0.0' },
  proxmox: { endpoint: 'https://unknown:8006', cluster: 'unknown', token: 'env:UNKNOWN' },
  network: { subnet: '0.0.0.0/0', gateway: '0.0.0.1' },
  nodes: {},
};

/** A parser that is compiled first pays off after many files. */
const ONCE = { jitless: true } as const;

export function parseFile(raw: unknown, report: Report): ParsedFile {
  const first = fileSchema.safeParse(raw, ONCE);
  if (first.success) return { file: first.data, broken: [] };
  const problems = schemaProblems(first.error.issues, raw);
  for (const problem of problems) report.error(problem);
  const broken = problems.map((problem) => problem.path);
  if (problems.length >= MAX_PROBLEMS) {
    report.error({
      code: 'config.too-many',
      path: [],
      message: `only the first ${MAX_PROBLEMS} problems are shown`,
      hint: 'correct these, then look again',
    });
    return { broken };
  }
  if (!isMapping(raw)) return { broken };
  const second = fileSchema.safeParse(withoutBroken(raw, broken), ONCE);
  return second.success ? { file: second.data, broken } : { broken };
}

function withoutBroken(raw: Record<string, unknown>, broken: readonly Path[]): Record<string, unknown> {
  const rest = Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [key, prune(value, [key], broken)]),
  );
  for (const [section, standIn] of Object.entries(STAND_INS)) {
    const value = rest[section];
    rest[section] = isMapping(value) && isMapping(standIn) ? { ...standIn, ...value } : standIn;
  }
  for (const section of ['nodes', 'volumes', 'hosts'] as const) {
    const entries = rest[section];
    if (isMapping(entries)) rest[section] = withoutHalfEntries(section, entries, broken);
  }
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}

/** Drops refused values; a list that holds one goes as a whole. */
function prune(value: unknown, path: Path, broken: readonly Path[]): unknown {
  const inside = broken.filter((each) => isPrefix(path, each));
  if (inside.length === 0) return value;
  if (inside.some((each) => each.length === path.length) || !isMapping(value)) return undefined;
  const kept = Object.entries(value)
    .map(([key, inner]) => [key, prune(inner, [...path, key], inside)] as const)
    .filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(kept);
}

/** Keys that an entry cannot do without. */
const NEEDED = new Set<unknown>(['role', 'ip', 'vmid', 'type', 'size', 'host', 'reservations', 'storages']);

/** A node without a valid address, say, is not looked at further. */
function withoutHalfEntries(
  section: string,
  entries: Record<string, unknown>,
  broken: readonly Path[],
): Record<string, unknown> {
  const kept = Object.entries(entries).filter(([name]) =>
    broken.every((path) => path[0] !== section || path[1] !== name || !NEEDED.has(path[2])),
  );
  return Object.fromEntries(kept);
}
