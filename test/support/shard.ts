/**
 * Which of many cases a run takes: a fixed sample in `npm test`, a share that changes with the commit in
 * `npm run test:exhaustive`, all of them in `npm run test:full`, which can be split and resumed.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Tier = 'test' | 'exhaustive' | 'full';

/** How many cases a tier takes; absent: all of them. `test:full` always takes all. */
export interface Sizes {
  readonly test?: number;
  readonly exhaustive?: number;
}

/** Every `step`-th case from `first` on. */
export interface Series {
  readonly first: number;
  readonly step: number;
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FIXED_SEED = 2026;

export function tier(): Tier {
  const text = process.env.OXHERD_TIER ?? 'test';
  if (text === 'test' || text === 'exhaustive' || text === 'full') return text;
  throw new Error(`OXHERD_TIER is ${text}; it is test, exhaustive or full`);
}

/** `--shard 2/4` of test:full: the second of four parts, counted from 0 here. */
export function shard(text = process.env.OXHERD_SHARD): { readonly index: number; readonly of: number } {
  if (text === undefined || text === '') return { index: 0, of: 1 };
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const part = { index: Number(index) - 1, of: Number(of) };
  if (!(part.index >= 0 && part.index < part.of)) throw new Error(`OXHERD_SHARD is ${text}; write 2/4`);
  return part;
}

/** The cases of this tier, in their order. */
export function chosen<T>(cases: readonly T[], sizes: Sizes, now: Tier = tier()): T[] {
  if (now === 'test') return sample(cases, sizes.test ?? cases.length);
  const size = Math.max(1, sizes.exhaustive ?? cases.length);
  const { first, step } = series({ exhaustive: Math.ceil(cases.length / size) }, now);
  return cases.filter((_, index) => index % step === first % step);
}

/** For cases whose number is known only at the end: one of so many. */
export function series(oneIn: Sizes, now: Tier = tier()): Series {
  if (now === 'full') return { first: shard().index, step: shard().of };
  const step = Math.max(1, oneIn[now] ?? 1);
  return { first: now === 'exhaustive' ? turn() % step : 0, step };
}

/** So many random cases; a shard of test:full takes its part of them. */
export function amount(sizes: Readonly<Record<Tier, number>>, now: Tier = tier()): number {
  return now === 'full' ? Math.ceil(sizes.full / shard().of) : sizes[now];
}

/** Seed of random cases: the same in every `npm test`, another for each round, and for each shard. */
export function seed(now: Tier = tier()): number {
  if (now === 'test') return FIXED_SEED;
  return hashed(`${turn()} ${shard().index}`) % 2 ** 31;
}

/**
 * Runs a case and gives its problems. In test:full a case without problems is remembered, and not run again until the
 * code has changed. `key` names it among all cases of all files.
 */
export async function remembered(
  key: string,
  run: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const outcome = await rememberedOutcome(key, async () => ({ word: 'passed', problems: await run() }));
  return outcome.problems;
}

/** For cases that run together: whether this one has passed before, and that it has. */
export function isRemembered(key: string): boolean {
  return tier() === 'full' && finished().has(key);
}

export async function remember(key: string): Promise<void> {
  await remembered(key, async () => []);
}

/** How a case ended, in one word, and what was wrong with it. */
export interface CaseOutcome {
  readonly word: string;
  readonly problems: readonly string[];
}

/** The same where it is counted how cases end: the word is remembered with the case. */
export async function rememberedOutcome(key: string, run: () => Promise<CaseOutcome>): Promise<CaseOutcome> {
  if (tier() !== 'full') return run();
  const word = finished().get(key);
  if (word !== undefined) return { word, problems: [] };
  const outcome = await run();
  if (outcome.problems.length === 0) {
    finished().set(key, outcome.word);
    appendFileSync(memoryFile(), `${JSON.stringify([key, outcome.word])}\n`);
  }
  return outcome;
}

/**
 * Which share this commit takes; scripts/test.mjs takes its share of the files by the same number. It is part of the commit
 * and raised with each landing, so the share that runs after a landing is the one that ran before it; neighbouring rounds
 * take neighbouring shares, so a few landings take every case.
 */
function turn(): number {
  roundNow ??= Number(readFileSync(join(ROOT, 'test/support/round.txt'), 'utf8'));
  return roundNow;
}
let roundNow: number | undefined;

function commit(): string {
  commitNow ??= git('rev-parse', 'HEAD') || 'no commit';
  return commitNow;
}
let commitNow: string | undefined;

function finished(): Map<string, string> {
  finishedNow ??= new Map(
    read(memoryFile())
      .split('\n')
      // The last line of a run that was cut off may not be whole.
      .filter((line) => line.startsWith('[') && line.endsWith(']'))
      .map((line): [string, string] => {
        const [key, word] = JSON.parse(line) as unknown[];
        return [String(key), String(word)];
      }),
  );
  return finishedNow;
}
let finishedNow: Map<string, string> | undefined;

/** Set by scripts/test.mjs, which names the file for the state of the code. */
function memoryFile(): string {
  const file = process.env.OXHERD_TEST_MEMORY ?? join(ROOT, '.oxherd-test', `${commit()}.cases`);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Spread over all of them: the case of the largest hash in each of `size` stretches. */
function sample<T>(cases: readonly T[], size: number): T[] {
  if (size >= cases.length) return [...cases];
  const stretch = cases.length / size;
  return Array.from({ length: size }, (_, part) => {
    const from = Math.floor(part * stretch);
    const width = Math.max(1, Math.floor((part + 1) * stretch) - from);
    return cases[from + (hashed(`${FIXED_SEED} ${part}`) % width)] as T;
  });
}

function hashed(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/** Empty where there is no git, as in an unpacked archive. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}
