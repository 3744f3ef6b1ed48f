/** A rehearsal as one page without scripts and without anything from elsewhere: pictures, and a table for each. */
import { escapeXml as text } from '../../../export/picture/escape-xml.js';
import { awayRows, marginText, quorumBars, spansOf, timeline } from '../../../export/picture/timeline.js';
import { counted } from '../../../model/count.js';
import { elapsed } from '../../../model/duration.js';
import type { Chaos } from '../../../session/rehearse/chaos/chaos.js';
import { VERDICTS } from '../../../session/rehearse/chaos/chaos-case.js';
import { isClean, type Rehearsal } from '../../../session/rehearse/rehearsal.js';
import { STYLE } from './style.js';

const GIB = 1024 ** 3;

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
  const spans = spansOf(course, ms, ({ margin }) => margin);
  return section(
    'etcd: how many members it can lose',
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
  return section('Steps', table(['At', 'Node', 'Step', 'Impact', 'Took'], rows, true));
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
  const counts = VERDICTS.flatMap((verdict) => {
    const number = tried.filter((one) => one.verdict === verdict).length;
    return number === 0 ? [] : [`${number} ${verdict}`];
  });
  return section(
    'Faults',
    `<p>${tried.length} of ${cases} cases tried, seed ${seed}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}.</p>` +
      table(['Fault', 'Step', 'Where', 'Verdict', 'What was said', 'Case'], rows, true),
  );
}

/** Scrolls where the page is narrower than the picture. */
function picture(...drawn: Parameters<typeof timeline>): string {
  return `<div class="scroll" tabindex="0" role="group" aria-label="${text(drawn[0])}">${timeline(...drawn)}</div>`;
}

function section(title: string, body: string): string {
  return `<section><h2>${text(title)}</h2>${body}</section>`;
}

function list(lines: readonly string[]): string {
  return `<ul>${lines.map((line) => `<li>${text(line)}</li>`).join('')}</ul>`;
}

/** Open where it has no picture. */
function table(head: readonly string[], rows: readonly (readonly string[])[], open = false): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<td>${text(cell)}</td>`).join('');
  return `<details${open ? ' open' : ''}><summary>As a table</summary><div class="scroll"><table><thead><tr>${head.map((cell) => `<th scope="col">${text(cell)}</th>`).join('')}</tr></thead><tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table></div></details>`;
}
