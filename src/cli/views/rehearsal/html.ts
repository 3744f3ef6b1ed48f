/** A rehearsal as one page without scripts and without anything from elsewhere: pictures, and a table for each. */
import { escapeXml as text } from '../../../export/picture/escape-xml.js';
import { awayRows, marginText, quorumBars, spansOf, timeline } from '../../../export/picture/timeline.js';
import { counted } from '../../../model/count.js';
import { elapsed } from '../../../model/duration.js';
import type { Chaos } from '../../../session/rehearse/chaos/chaos.js';
import { type ChaosResult, VERDICTS } from '../../../session/rehearse/chaos/chaos-case.js';
import { isClean, type Rehearsal } from '../../../session/rehearse/rehearsal.js';
import { STYLE } from './style.js';

const GIB = 1024 ** 3;
/** A cell that wraps. */
const LONG = 30;

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
      : rehearsal.refused
        ? [
            section(
              'The plan is refused',
              list(rehearsal.refused.map(({ message, advice }) => `${message}: ${advice}`)),
            ),
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
  const bars = awayRows(absences, away, ms);
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
  const title = 'etcd: how many members it can lose';
  if (ms === 0) return section(title, `<p>${marginText(leastMargin)}</p>`);
  const spans = spansOf(course, ms, ({ margin }) => margin);
  return section(
    title,
    picture('Quorum margin over time', [{ label: 'etcd', bars: quorumBars(spans) }], ms) +
      table(
        ['From', 'To', 'Margin'],
        spans.map(({ from, to, value }) => [elapsed(from), elapsed(to), marginText(value)]),
      ),
  );
}

function api({ course, ms, apiAway }: Rehearsal): string {
  const endpoints = Object.keys(apiAway);
  if (endpoints.length === 0) return '';
  const lines = endpoints.map((endpoint) => ({
    label: endpoint,
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
        : picture('Pending pods over time', [{ label: 'pending', bars }], ms) +
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
  const lines = rows.map(([host, bytes]) => ({
    label: host,
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
    picture('Memory of each host', lines, most, { scale: (value) => `${(value / GIB).toFixed(0)} GiB` }) +
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
  return section('Steps', table(['At', 'Node', 'Step', 'Impact', 'Took'], rows, 'Every step'));
}

function faults({ tried, cases, seed }: Chaos): string {
  const worstFirst = [...tried].sort((a, b) => VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict));
  const rows = worstFirst.map(({ fault, step, subject, verdict, why = '', id }) => [
    fault,
    step,
    subject,
    verdict,
    why,
    id,
  ]);
  const left = cases - tried.length;
  return section(
    'Faults',
    `<p>${tried.length} of ${cases} cases tried, seed ${seed}${tried.length > 0 ? `: ${verdictsIn(tried).join(', ')}` : ''}.${left > 0 ? ` ${counted(left, 'case')} left: run the same command again to continue.` : ''}</p>` +
      matrix(tried) +
      table(['Fault', 'Step', 'Where', 'Verdict', 'What was said', 'Case'], rows, 'Each case, worst first'),
  );
}

function verdictsIn(cell: readonly ChaosResult[]): string[] {
  return VERDICTS.flatMap((verdict) => {
    const number = cell.filter((one) => one.verdict === verdict).length;
    return number === 0 ? [] : [`${number} ${verdict}`];
  });
}

/** Faults against kinds of steps. */
function matrix(tried: readonly ChaosResult[]): string {
  const kinds = [...new Set(tried.map(({ kind }) => kind))].sort();
  const names = [...new Set(tried.map(({ fault }) => fault))].sort();
  const rows = names.map((fault) => [
    fault,
    ...kinds.map((kind) =>
      verdictsIn(tried.filter((one) => one.fault === fault && one.kind === kind)).join(', '),
    ),
  ]);
  return rows.length === 0 ? '' : table(['Fault', ...kinds], rows, 'Faults against steps');
}

/** Drawn for a screen and for a phone; the page shows one of them. */
const PHONE = 360;

function picture(
  name: string,
  rows: Parameters<typeof timeline>[1],
  end: number,
  options?: Parameters<typeof timeline>[3],
): string {
  if (end === 0) return '';
  const narrow = timeline(name, rows, end, { ...options, width: PHONE, left: PHONE / 4 });
  return `<div class="wide">${timeline(name, rows, end, options)}</div><div class="narrow">${narrow}</div>`;
}

function section(title: string, body: string): string {
  return `<section><h2>${text(title)}</h2>${body}</section>`;
}

function list(lines: readonly string[]): string {
  return `<ul>${lines.map((line) => `<li>${text(line)}</li>`).join('')}</ul>`;
}

/** Names stay in one piece; a column of sentences wraps. */
const SENTENCES: ReadonlySet<string> = new Set(['Because of', 'Step', 'Where', 'What was said']);
/** With more columns than this each row is a block of its own on a phone; roles, because it is no table for CSS then. */
const PHONE_COLUMNS = 3;

/** Twin of a picture; open, under a title of its own, where it has none. */
function table(head: readonly string[], rows: readonly (readonly string[])[], title?: string): string {
  const cell = (content: string, column: number) => {
    const wraps = SENTENCES.has(head[column] ?? '') || content.length > LONG;
    return `<td role="cell" data-head="${text(head[column] ?? '')}"${wraps ? ' class="text"' : ''}>${text(content)}</td>`;
  };
  const body = rows.map((row) => `<tr role="row">${row.map(cell).join('')}</tr>`).join('');
  const heads = head.map((one) => `<th scope="col" role="columnheader">${text(one)}</th>`).join('');
  const name = text(title ?? head.join(', '));
  const kind = head.length > PHONE_COLUMNS ? ' class="stack"' : '';
  return `<details${title === undefined ? '' : ' open'}><summary>${text(title ?? 'As a table')}</summary><div class="scroll" tabindex="0" role="group" aria-label="${name}"><table role="table"${kind}><thead role="rowgroup"><tr role="row">${heads}</tr></thead><tbody role="rowgroup">${body}</tbody></table></div></details>`;
}
