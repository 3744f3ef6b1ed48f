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
  /** Room for the names; it grows for longer ones, up to a third of the picture. */
  readonly left?: number;
  readonly scale?: (value: number) => string;
}

const ROW = 26;
/** A name above its bars. */
const NAME = 18;
/** Advance of a glyph of the labels. */
const GLYPH = 8;
const MARGIN = 10;

export function timeline(
  name: string,
  rows: readonly TimelineRow[],
  end: number,
  { width = 900, left: least = 130, scale = elapsed }: TimelineOptions = {},
): string {
  const needed = Math.max(least, ...rows.map(({ label }) => label.length * GLYPH + MARGIN));
  // Where names and bars do not fit side by side, a name stands above its bars.
  const above = needed > Math.max(least, width / 3);
  const left = above ? MARGIN : needed;
  const rowHeight = above ? ROW + NAME : ROW;
  const height = rows.length * rowHeight + 24;
  const x = (value: number) => left + (end === 0 ? 0 : (value / end) * (width - left - MARGIN));
  const drawn = rows.map(({ label, bars }, row) => {
    const top = row * rowHeight;
    const y = above ? top + NAME : top;
    const line = `<line x1="${left}" x2="${width - MARGIN}" y1="${y + 13}" y2="${y + 13}"/>`;
    const name = above
      ? `<text x="${left}" y="${top + 16}">${escapeXml(shortened(label, width))}</text>`
      : `<text x="${left - 8}" y="${y + 17}" class="name">${escapeXml(label)}</text>`;
    return `${name}${line}${bars.map((bar) => drawBar(bar, x, y)).join('')}`;
  });
  const marks = (width < 600 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map(
    (part) =>
      `<text class="mark ${part === 1 ? 'last' : ''}" x="${x(part * end)}" y="${height - 6}">${escapeXml(part === 0 ? '0' : scale(part * end))}</text>`,
  );
  return `<svg role="img" aria-label="${escapeXml(name)}" viewBox="0 0 ${width} ${height}">${drawn.join('')}${marks.join('')}</svg>`;
}

/** Its middle goes: names of nodes differ at their ends. The table has it whole. */
function shortened(label: string, width: number): string {
  const room = Math.floor((width - 2 * MARGIN) / GLYPH);
  if (label.length <= room) return label;
  const tail = Math.floor((room - 1) / 2);
  return `${label.slice(0, room - 1 - tail)}…${label.slice(-tail)}`;
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
