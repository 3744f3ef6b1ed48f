/** A rehearsal for a terminal: each node's absence on a line of time, then what it came to. */
import { counted } from '../../../model/count.js';
import { type Absence, timeAway } from '../../../model/downtime.js';
import { elapsed } from '../../../model/duration.js';
import type { Chaos } from '../../../session/rehearse/chaos/chaos.js';
import { type ChaosResult, VERDICTS, type Verdict } from '../../../session/rehearse/chaos/chaos-case.js';
import { isClean, type Rehearsal } from '../../../session/rehearse/rehearsal.js';
import { type Paint, paint } from '../paint.js';
import { table } from '../table.js';

const GIB = 1024 ** 3;
const LINE = 40;
const COLUMNS = 80;
const LABEL = 8;

export function rehearsalText(
  rehearsal: Rehearsal,
  color: boolean,
  /** Whose plan the twin's is compared with. */
  source = 'the cluster',
): string {
  const colors = paint(color);
  const title = `Rehearsal of plan ${rehearsal.planId.slice(0, 12)} on a twin of ${rehearsal.cluster}`;
  if (rehearsal.refused)
    return [
      `${colors.bold(title)}: ${colors.red('not run')}`,
      'The plan is refused:',
      ...rehearsal.refused.flatMap(({ message, advice }) => [
        `  ${colors.red('✗')} ${message}`,
        `      ${colors.dim(advice)}`,
      ]),
    ].join('\n');
  if (!rehearsal.valid)
    return [
      `${colors.bold(title)}: ${colors.red('not valid')}`,
      `The twin plans something else than ${source}:`,
      ...rehearsal.differences.map((line) => `  ${line}`),
    ].join('\n');
  return [
    `${colors.bold(title)}: ${outcomeText(rehearsal, colors)}`,
    ...(rehearsal.absences.length > 0 ? ['', absenceTable(rehearsal.absences, rehearsal.ms)] : []),
    '',
    ...figures(rehearsal),
    ...likely(rehearsal),
    ...failures(rehearsal, colors),
    '',
    isClean(rehearsal)
      ? 'No invariant broken in 1 case.'
      : colors.red('Look at the lines above before you apply this plan.'),
  ].join('\n');
}

function outcomeText({ outcome, ms, steps }: Rehearsal, colors: Paint): string {
  if (outcome === 'nothing to do') return 'nothing to do';
  const what = `${counted(steps.length, 'step')} in ${elapsed(ms)} of lab time`;
  return `${outcome === 'done' ? colors.green('done') : colors.red(outcome)}\n${what}`;
}

/** One line for each node that goes away; a block where it is. */
export function absenceTable(absences: readonly Absence[], ms: number): string {
  const away = timeAway(absences, ms);
  const rows = away.map(({ node, ms: total }) => {
    const own = absences.filter((absence) => absence.node === node);
    const line = Array.from({ length: LINE }, (_, index) => {
      const [from, to] = [(index / LINE) * ms, ((index + 1) / LINE) * ms];
      return own.some((absence) => absence.from < to && (absence.to ?? ms) > from) ? '█' : '·';
    });
    return [node, line.join(''), elapsed(total)];
  });
  return table(['NODE', 'TIME', 'DOWN'], rows);
}

function figures({ leastMargin, apiAway, pods, memory, blocked }: Rehearsal): string[] {
  const api = Object.entries(apiAway).map(
    ([endpoint, ms]) => `${endpoint} ${ms === 0 ? 'always' : `${elapsed(ms)} away`}`,
  );
  const hosts = Object.entries(memory).map(([host, bytes]) => `${host} ${(bytes / GIB).toFixed(1)} GiB`);
  return [
    ...(leastMargin === undefined
      ? []
      : [
          `quorum  ${leastMargin < 0 ? 'lost' : `at the tightest moment etcd could lose ${counted(leastMargin, 'more member')}`}`,
        ]),
    ...listed('API', '', api),
    `pods    ${pods.evicted} evicted, at most ${pods.mostPending} pending at a time`,
    ...listed('memory', 'at most ', hosts),
    ...blocked.map((line) => `waits   ${line}`),
  ];
}

/** One line, or as many as a terminal of 80 columns needs. */
function listed(label: string, before: string, parts: readonly string[]): string[] {
  const lines: string[] = [];
  let line = before;
  for (const [index, part] of parts.entries()) {
    const text = index < parts.length - 1 ? `${part},` : part;
    if (line !== before && LABEL + line.length + text.length + 1 > COLUMNS) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += `${text} `;
  }
  if (parts.length > 0) lines.push(line.trimEnd());
  return lines.map((one, index) => `${(index === 0 ? label : '').padEnd(LABEL)}${one}`);
}

/** With the times of earlier runs on these hosts, where there were any. */
function likely({ calibrated }: Rehearsal): string[] {
  if (!calibrated) return [];
  const range = ({ p50, p90 }: { readonly p50: number; readonly p90: number }): string =>
    p50 === p90 ? elapsed(p50) : `${elapsed(p50)} to ${elapsed(p90)}`;
  const nodes = calibrated.away.map((one) => `${one.node} ${range(one)}`);
  return [
    `likely  ${range(calibrated.ms)} here, by ${counted(calibrated.runs, 'earlier run')}`,
    ...listed('', 'down: ', nodes),
  ];
}

function failures({ broken, left, steps }: Rehearsal, colors: Paint): string[] {
  const failed = steps.filter(({ state }) => state === 'failed');
  return [
    ...failed.map(({ title, message }) => `${colors.red('failed')}  ${title}: ${message}`),
    ...broken.map((line) => `${colors.red('broken')}  ${line}`),
    ...left.map((line) => `${colors.red('left')}    ${line}`),
  ];
}

/** Short, so that a table of long names fits into 80 columns. */
const HEADS: Readonly<Record<Verdict, string>> = {
  continued: 'CONT',
  'stopped safely': 'STOP',
  'needs a person': 'PERSON',
  'did not strike': 'MISS',
  UNSAFE: 'UNSAFE',
};

/** Steps of a kind against faults, and every case that a person should know. */
export function chaosText({ tried, cases, seed }: Chaos, color: boolean): string {
  const colors = paint(color);
  const kinds = [...new Set(tried.map(({ kind }) => kind))].sort();
  const faults = [...new Set(tried.map(({ fault }) => fault))].sort();
  const rows = faults.flatMap((fault) =>
    kinds.flatMap((kind) => {
      const cell = tried.filter((one) => one.fault === fault && one.kind === kind);
      if (cell.length === 0) return [];
      return [[fault, kind, ...VERDICTS.map((verdict) => numberOf(cell, verdict, colors))]];
    }),
  );
  const unsafe = tried.filter(({ verdict }) => verdict === 'UNSAFE');
  const missed = tried.filter(({ verdict }) => verdict === 'did not strike').length;
  const people = tried.filter(({ verdict }) => verdict === 'needs a person');
  return [
    table(['FAULT', 'STEP', ...VERDICTS.map((verdict) => HEADS[verdict])], rows),
    colors.dim('CONT continued, STOP stopped safely, PERSON needs a person, MISS did not strike'),
    ...[...unsafe, ...people].map((one) => `${verdictWord(one, colors)} ${caseText(one)}`),
    '',
    unsafe.length > 0
      ? colors.red(`${counted(unsafe.length, 'case')} of ${tried.length} broke an invariant.`)
      : `No invariant broken in ${counted(tried.length - missed, 'case')}, of ${cases} (seed ${seed}).`,
    ...(missed > 0
      ? [`In ${counted(missed, 'other case')} the fault did not strike, which says nothing about it.`]
      : []),
    ...(tried.length < cases
      ? [
          `${counted(cases - tried.length, 'case')} left: run the same command again to continue, --budget says for how long.`,
        ]
      : []),
  ].join('\n');
}

function numberOf(cell: readonly ChaosResult[], verdict: Verdict, colors: Paint): string {
  const number = cell.filter((one) => one.verdict === verdict).length;
  if (number === 0) return colors.dim('·');
  return verdict === 'UNSAFE' ? colors.red(number) : String(number);
}

function verdictWord({ verdict }: ChaosResult, colors: Paint): string {
  return verdict === 'UNSAFE' ? colors.red(verdict) : colors.yellow(verdict);
}

export function caseText({ id, fault, step, why }: ChaosResult): string {
  return `${fault} at ${step}${why === undefined ? '' : `: ${why}`}  (replay: --case ${id})`;
}
