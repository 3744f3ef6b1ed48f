/** A rehearsal as one page without scripts and without anything from elsewhere: pictures, and a table for each. */
import type { Chaos } from '../../../session/rehearse/chaos.js';
import { isClean, type Moment, type Rehearsal } from '../../../session/rehearse/rehearsal.js';
import { counted } from '../count.js';
import { elapsed } from '../progress.js';
import { STYLE } from './style.js';

const GIB = 1024 ** 3;
/** Units of the pictures; they scale with the page. */
const WIDTH = 900;
const LEFT = 130;
const ROW = 26;

export function rehearsalHtml(rehearsal: Rehearsal, chaos?: Chaos): string {
  const title = `Rehearsal of ${rehearsal.cluster}, plan ${rehearsal.planId.slice(0, 12)}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${text(title)}</title><style>${STYLE}</style></head><body><main>`,
    `<h1>${text(title)}</h1>`,
    summary(rehearsal),
    ...(rehearsal.valid
      ? [
          nodes(rehearsal),
          quorum(rehearsal),
          api(rehearsal),
          pods(rehearsal),
          memory(rehearsal),
          steps(rehearsal),
        ]
      : [section('Differences', list(rehearsal.differences))]),
    ...(chaos ? [faults(chaos)] : []),
    '</main></body></html>',
    '',
  ].join('\n');
}

function summary(rehearsal: Rehearsal): string {
  const clean = isClean(rehearsal);
  const state = rehearsal.valid ? rehearsal.outcome : 'not valid';
  const facts = [
    `${clean ? '✓' : '✗'} ${state}`,
    `${counted(rehearsal.steps.length, 'step')}, ${elapsed(rehearsal.ms)} of lab time`,
    ...rehearsal.broken.map((line) => `✗ ${line}`),
    ...rehearsal.left.map((line) => `✗ left to do: ${line}`),
    ...(clean ? ['No invariant broken in 1 case.'] : []),
  ];
  return `<ul class="facts ${clean ? 'good' : 'bad'}">${facts.map((fact) => `<li>${text(fact)}</li>`).join('')}</ul>`;
}

function nodes({ absences, away, ms }: Rehearsal): string {
  if (away.length === 0) return section('Nodes', '<p>No node goes away.</p>');
  const bars = away.map(({ node }, row) => ({
    label: node,
    bars: absences
      .filter((absence) => absence.node === node)
      .map(({ from, to = ms, reason }) => ({
        from,
        to,
        kind: 'away',
        title: `${node}: ${reason}, ${elapsed(to - from)}`,
      })),
    row,
  }));
  const rows = absences.map(({ node, reason, from, to }) => [
    node,
    reason,
    elapsed(from),
    to === undefined ? 'not back' : elapsed(to - from),
  ]);
  return section(
    'Nodes: when each is down',
    picture('Downtime of each node over time', bars, ms) +
      table(['Node', 'Because of', 'From', 'Down for'], rows),
  );
}

function quorum({ course, ms, leastMargin }: Rehearsal): string {
  if (leastMargin === undefined) return '';
  const spans = spansOf(course, ms, ({ margin }) => margin);
  const bars = spans.map(({ from, to, value }) => ({
    from,
    to,
    kind: value < 0 ? 'lost' : value === 0 ? 'tight' : 'good',
    label: value < 0 ? '✗' : `+${value}`,
    title: `${elapsed(from)} to ${elapsed(to)}: ${marginText(value)}`,
  }));
  return section(
    'etcd: how many members it can lose',
    picture('Quorum margin over time', [{ label: 'etcd', bars, row: 0 }], ms) +
      table(
        ['From', 'To', 'Margin'],
        spans.map(({ from, to, value }) => [elapsed(from), elapsed(to), marginText(value)]),
      ),
  );
}

function marginText(margin: number): string {
  return margin < 0 ? 'quorum lost' : `can lose ${margin}`;
}

function api({ course, ms, apiAway }: Rehearsal): string {
  const endpoints = Object.keys(apiAway);
  if (endpoints.length === 0) return '';
  const lines = endpoints.map((endpoint, row) => ({
    label: endpoint,
    row,
    bars: spansOf(course, ms, (moment) => (moment.api[endpoint] === true ? 1 : 0)).map(
      ({ from, to, value }) => ({
        from,
        to,
        kind: value === 1 ? 'good' : 'lost',
        title: `${endpoint} ${value === 1 ? 'answers' : 'does not answer'}, ${elapsed(from)} to ${elapsed(to)}`,
      }),
    ),
  }));
  return section(
    'Kubernetes API',
    picture('Availability of each endpoint over time', lines, ms) +
      table(
        ['Endpoint', 'Without an answer for'],
        endpoints.map((endpoint) => [endpoint, elapsed(apiAway[endpoint] ?? 0)]),
      ),
  );
}

function pods({ course, ms, pods: total, blocked }: Rehearsal): string {
  const spans = spansOf(course, ms, ({ pods: { pending } }) => pending).filter(({ value }) => value > 0);
  const bars = spans.map(({ from, to, value }) => ({
    from,
    to,
    kind: 'tight',
    label: String(value),
    title: `${value} pending, ${elapsed(from)} to ${elapsed(to)}`,
  }));
  const waits = blocked.length > 0 ? list(blocked) : '';
  return section(
    'Pods',
    `<p>${total.evicted} evicted, at most ${total.mostPending} pending at a time.</p>${waits}` +
      (spans.length === 0
        ? ''
        : picture('Pending pods over time', [{ label: 'pending', bars, row: 0 }], ms) +
          table(
            ['From', 'To', 'Pending'],
            spans.map(({ from, to, value }) => [elapsed(from), elapsed(to), String(value)]),
          )),
  );
}

function memory({ memory: hosts }: Rehearsal): string {
  const rows = Object.entries(hosts);
  if (rows.length === 0) return '';
  const most = Math.max(...rows.map(([, bytes]) => bytes));
  const lines = rows.map(([host, bytes], row) => ({
    label: host,
    row,
    bars: [
      {
        from: 0,
        to: bytes,
        kind: 'good',
        label: `${(bytes / GIB).toFixed(1)} GiB`,
        title: `${host}: ${(bytes / GIB).toFixed(1)} GiB`,
      },
    ],
  }));
  return section(
    'Hosts: memory of running VMs at the highest moment',
    picture('Memory of each host', lines, most, (value) => `${(value / GIB).toFixed(0)} GiB`) +
      table(
        ['Host', 'Memory'],
        rows.map(([host, bytes]) => [host, `${(bytes / GIB).toFixed(1)} GiB`]),
      ),
  );
}

function steps({ steps: all }: Rehearsal): string {
  const rows = all.map(({ node = '', title, impact, from, to, state, message }) => [
    elapsed(from),
    node,
    message === undefined ? title : `${title}: ${message}`,
    impact,
    to === undefined ? state : elapsed(to - from),
  ]);
  return section('Steps', table(['At', 'Node', 'Step', 'Impact', 'Took'], rows));
}

function faults({ tried, cases, seed }: Chaos): string {
  const rows = tried.map(({ fault, step, subject, verdict, why = '', id }) => [
    fault,
    step,
    subject,
    verdict,
    why,
    id,
  ]);
  return section(
    'Faults',
    `<p>${tried.length} of ${cases} cases tried, seed ${seed}.</p>` +
      table(['Fault', 'Step', 'Where', 'Verdict', 'What was said', 'Case'], rows),
  );
}

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
  readonly title: string;
  readonly label?: string;
}

interface Line {
  readonly label: string;
  readonly row: number;
  readonly bars: readonly Bar[];
}

function picture(
  name: string,
  lines: readonly Line[],
  end: number,
  scale: (value: number) => string = elapsed,
): string {
  const height = lines.length * ROW + 24;
  const x = (value: number) => LEFT + (end === 0 ? 0 : (value / end) * (WIDTH - LEFT - 10));
  const rows = lines.map(({ label, row, bars }) => {
    const y = row * ROW;
    const drawn = bars.map(({ from, to, kind, title, label: word = '' }) => {
      const width = Math.max(2, x(to) - x(from));
      const shown = word !== '' && width > word.length * 8 ? word : '';
      const inside =
        shown === '' ? '' : `<text class="in" x="${x(from) + width / 2}" y="${y + 17}">${text(shown)}</text>`;
      return `<g><title>${text(title)}</title><rect class="${kind}" x="${x(from).toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="18" rx="2"/>${inside}</g>`;
    });
    return `<text x="${LEFT - 8}" y="${y + 17}" class="name">${text(label)}</text><line x1="${LEFT}" x2="${WIDTH - 10}" y1="${y + 13}" y2="${y + 13}"/>${drawn.join('')}`;
  });
  const marks = [0, 0.25, 0.5, 0.75, 1].map(
    (part) =>
      `<text class="mark ${part === 1 ? 'last' : ''}" x="${x(part * end)}" y="${height - 6}">${text(part === 0 ? '0' : scale(part * end))}</text>`,
  );
  return `<div class="scroll" tabindex="0" role="group" aria-label="${text(name)}"><svg role="img" aria-label="${text(name)}" viewBox="0 0 ${WIDTH} ${height}">${rows.join('')}${marks.join('')}</svg></div>`;
}

/** Equal moments in a row are one. */
function spansOf(course: readonly Moment[], end: number, measure: (moment: Moment) => number) {
  const spans: { from: number; to: number; value: number }[] = [];
  for (const moment of course) {
    const value = measure(moment);
    const last = spans.at(-1);
    const from = spans.length === 0 ? 0 : Math.max(0, moment.at);
    if (last && last.value === value) continue;
    if (last) last.to = from;
    spans.push({ from, to: end, value });
  }
  return spans.filter(({ from, to }) => to > from);
}

function section(title: string, body: string): string {
  return `<section><h2>${text(title)}</h2>${body}</section>`;
}

function list(lines: readonly string[]): string {
  return `<ul>${lines.map((line) => `<li>${text(line)}</li>`).join('')}</ul>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${text(cell)}</td>`).join('');
  return `<details><summary>As a table</summary><div class="scroll"><table><thead><tr>${head.map((cell) => `<th scope="col">${text(cell)}</th>`).join('')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table></div></details>`;
}

function text(raw: string): string {
  return raw
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
