/** Bars over time as SVG: when each node is down, how many members etcd can lose, when an endpoint answers. */
import type { Absence, TimeAway } from '../../model/downtime.js';
import { elapsed } from '../../model/duration.js';
import { escapeXml } from './escape-xml.js';

interface Bar {
  readonly from: number;
  readonly to: number;
  /** CSS class: its colour. */
  readonly kind: string;
  /** Says in words what the bar is. */
  readonly title: string;
  /** Inside the bar, where there is room. */
  readonly label?: string;
}

export interface TimelineRow {
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** A row for each node that goes away, until `end`. */
export function awayRows(
  absences: readonly Absence[],
  away: readonly TimeAway[],
  end: number,
): TimelineRow[] {
  return away.map(({ node }) => ({
    label: node,
    bars: absences
      .filter((absence) => absence.node === node)
      .map(({ from, to = end, reason }) => ({
        from,
        to,
        kind: 'away',
        title: `${node}: ${reason}, ${elapsed(to - from)}`,
      })),
  }));
}

interface TimelineOptions {
  /** Units of the picture; it scales with the page. */
  readonly width?: number;
  readonly left?: number;
  readonly scale?: (value: number) => string;
}

const ROW = 26;
/** Advance of a glyph of the labels. */
const GLYPH = 8;

export function timeline(
  name: string,
  rows: readonly TimelineRow[],
  end: number,
  { width = 900, left = 130, scale = elapsed }: TimelineOptions = {},
): string {
  const height = rows.length * ROW + 24;
  const x = (value: number) => left + (end === 0 ? 0 : (value / end) * (width - left - 10));
  const drawn = rows.map(({ label, bars }, row) => {
    const y = row * ROW;
    const line = `<line x1="${left}" x2="${width - 10}" y1="${y + 13}" y2="${y + 13}"/>`;
    return `<text x="${left - 8}" y="${y + 17}" class="name">${escapeXml(label)}</text>${line}${bars.map((bar) => drawBar(bar, x, y)).join('')}`;
  });
  const marks = (width < 600 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map(
    (part) =>
      `<text class="mark ${part === 1 ? 'last' : ''}" x="${x(part * end)}" y="${height - 6}">${escapeXml(part === 0 ? '0' : scale(part * end))}</text>`,
  );
  return `<svg role="img" aria-label="${escapeXml(name)}" viewBox="0 0 ${width} ${height}">${drawn.join('')}${marks.join('')}</svg>`;
}

function drawBar(
  { from, to, kind, title, label = '' }: Bar,
  x: (value: number) => number,
  y: number,
): string {
  const width = Math.max(2, x(to) - x(from));
  const shown = label !== '' && width > label.length * GLYPH ? label : '';
  const inside =
    shown === ''
      ? ''
      : `<text class="in" x="${x(from) + width / 2}" y="${y + 17}">${escapeXml(shown)}</text>`;
  return `<g><title>${escapeXml(title)}</title><rect class="${kind}" x="${x(from).toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="18" rx="2"/>${inside}</g>`;
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

/** From moments to spans: equal moments in a row are one. */
export function spansOf<T extends { readonly at: number }>(
  course: readonly T[],
  end: number,
  measure: (moment: T) => number,
): Span[] {
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

/** The quorum strip: each span says how many members etcd can still lose. */
export function quorumBars(spans: readonly Span[]): Bar[] {
  return spans.map(({ from, to, value }) => ({
    from,
    to,
    kind: value < 0 ? 'lost' : value === 0 ? 'tight' : 'good',
    label: value < 0 ? '✗' : `+${value}`,
    title: `${elapsed(from)} to ${elapsed(to)}: ${marginText(value)}`,
  }));
}

export function marginText(margin: number): string {
  return margin < 0 ? 'quorum lost' : `can lose ${margin}`;
}
