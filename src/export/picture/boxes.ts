/** Boxes in boxes as SVG: each as large as its text and what is inside it. Widths are those of a monospace font. */

export interface Line {
  readonly text: string;
  readonly style: 'title' | 'plain' | 'faint' | 'small';
}

export interface Box {
  /** CSS class: its colours. */
  readonly kind: string;
  readonly lines: readonly Line[];
  readonly children?: readonly Box[];
  /** How many children stand side by side. */
  readonly columns?: number;
  /** A bar under the text: what share is used, 0 to 1 and above. */
  readonly bars?: readonly { readonly label: string; readonly share: number }[];
  /** Many small things as one sign each. */
  readonly dots?: readonly Dot[];
  /** Makes it something to open: its id, and what a screen reader says of it. */
  readonly opens?: { readonly id: string; readonly label: string };
}

export interface Dot {
  readonly kind: string;
  /** Tells its state without its colour. */
  readonly sign: string;
  readonly title: string;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A box with its size and those of everything inside it, found once from the inside out. */
interface Measured extends Size {
  readonly box: Box;
  readonly text: Size;
  readonly rows: readonly { readonly members: readonly Measured[]; readonly height: number }[];
  readonly columns: readonly number[];
}

const FONT = { title: 15, plain: 12.5, faint: 12.5, small: 11 } as const;
/** Advance of a monospace glyph in em; 0.602 in DejaVu Sans Mono and Menlo, and some air. */
const GLYPH = 0.615;
const LINE_GAP = 5;
const PADDING = 10;
const GAP = 10;
const BAR = { height: 8, label: 38, width: 120, most: 220, percent: 40 } as const;
const DOT = { size: 16, gap: 4, row: 12 } as const;

function measure(box: Box): Measured {
  const children = (box.children ?? []).map(measure);
  const count = Math.max(1, box.columns ?? 1);
  const columns = Array.from({ length: Math.min(count, children.length) }, (_, column) =>
    Math.max(...children.filter((_child, i) => i % count === column).map((child) => child.width)),
  );
  const rows = Array.from({ length: Math.ceil(children.length / count) }, (_, row) => {
    const members = children.slice(row * count, (row + 1) * count);
    return { members, height: Math.max(...members.map((child) => child.height)) };
  });
  const text = textSize(box);
  const inside = spaced(rows.map((row) => row.height));
  const between = inside > 0 && text.height > 0 ? GAP : 0;
  return {
    box,
    text,
    rows,
    columns,
    width: Math.ceil(Math.max(text.width, spaced(columns)) + 2 * paddingOf(box)),
    height: Math.ceil(text.height + between + inside + 2 * paddingOf(box)),
  };
}

/** A box without a frame needs no room inside it. */
function paddingOf({ kind }: Box): number {
  return kind === 'bare' ? 1 : PADDING;
}

/** Lengths one after the other, with gaps between them. */
function spaced(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0) + Math.max(0, lengths.length - 1) * GAP;
}

function textSize({ lines, bars = [], dots = [] }: Box): Size {
  const width = Math.max(
    0,
    ...lines.map(lineWidth),
    bars.length > 0 ? labelWidth(bars) + BAR.width + BAR.percent : 0,
    Math.min(dots.length, DOT.row) * (DOT.size + DOT.gap) - DOT.gap,
  );
  const height = lines.reduce((sum, line) => sum + FONT[line.style] + LINE_GAP, 0);
  const rows = Math.ceil(dots.length / DOT.row);
  return { width, height: height + bars.length * (BAR.height + LINE_GAP + 3) + rows * (DOT.size + DOT.gap) };
}

function labelWidth(bars: NonNullable<Box['bars']>): number {
  const widths = bars.map(({ label }) => lineWidth({ text: label, style: 'small' }) + 8);
  return Math.ceil(Math.max(BAR.label, ...widths));
}

/** Glyphs of East Asian scripts and pictures are twice as wide. */
function lineWidth({ text, style }: Line): number {
  let glyphs = 0;
  for (const char of text)
    glyphs +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{1faff}]/u.test(
        char,
      )
        ? 2
        : 1;
  return glyphs * FONT[style] * GLYPH * (style === 'title' ? 1.02 : 1);
}

/** SVG elements; the box fills the size it is given. */
function draw(measured: Measured, x: number, y: number, size: Size = measured): string {
  const { box, rows, columns } = measured;
  const padding = paddingOf(box);
  const { lines, bars = [], dots = [], opens } = box;
  const role = opens
    ? ` data-id="${escapeXml(opens.id)}" tabindex="0" role="button"><title>${escapeXml(opens.label)}</title>`
    : '>';
  const out = [
    `<g class="box ${box.kind}"${role}<rect x="${x}" y="${y}" width="${size.width}" height="${size.height}" rx="6"/>`,
  ];
  let at = y + padding;
  for (const line of lines) {
    at += FONT[line.style];
    out.push(
      `<text class="${line.style}" x="${x + padding}" y="${round(at)}">${escapeXml(line.text)}</text>`,
    );
    at += LINE_GAP;
  }
  for (const { label, share } of bars) {
    at += 3;
    out.push(drawBar(label, share, x + padding, at, labelWidth(bars), barWidth(size.width, bars)));
    at += BAR.height + LINE_GAP;
  }
  out.push(...dots.map((dot, index) => drawDot(dot, index, x + padding, at)), '</g>');
  at += Math.ceil(dots.length / DOT.row) * (DOT.size + DOT.gap);
  if (lines.length + bars.length + dots.length > 0) at += GAP;
  // What is left over of the width goes to the columns alike.
  const spare = Math.max(0, size.width - 2 * padding - spaced(columns)) / Math.max(1, columns.length);
  for (const row of rows) {
    let left = x + padding;
    for (const [column, member] of row.members.entries()) {
      const width = (columns[column] ?? 0) + spare;
      out.push(draw(member, round(left), round(at), { width: round(width), height: row.height }));
      left += width + GAP;
    }
    at += row.height + GAP;
  }
  return out.join('');
}

function drawDot({ kind, sign, title }: Dot, index: number, x: number, y: number): string {
  const left = x + (index % DOT.row) * (DOT.size + DOT.gap);
  const top = round(y + Math.floor(index / DOT.row) * (DOT.size + DOT.gap));
  return [
    `<g class="dot ${kind}"><title>${escapeXml(title)}</title>`,
    `<rect x="${left}" y="${top}" width="${DOT.size}" height="${DOT.size}" rx="3"/>`,
    `<text class="small" x="${left + DOT.size / 2}" y="${round(top + 12)}">${escapeXml(sign)}</text></g>`,
  ].join('');
}

/** What the box leaves, within reason. */
function barWidth(width: number, bars: NonNullable<Box['bars']>): number {
  const left = width - 2 * PADDING - labelWidth(bars) - BAR.percent;
  return Math.floor(Math.min(BAR.most, Math.max(BAR.width, left)));
}

function drawBar(
  label: string,
  share: number,
  x: number,
  y: number,
  labelled: number,
  length: number,
): string {
  const filled = Math.min(1, Math.max(0, share)) * length;
  const level = share > 1 ? 'over' : share > 0.9 ? 'high' : 'fine';
  const percent = `${Math.round(share * 100)}%`;
  const middle = round(y + BAR.height);
  return [
    `<text class="small" x="${x}" y="${middle}">${escapeXml(label)}</text>`,
    `<rect class="track" x="${x + labelled}" y="${round(y)}" width="${length}" height="${BAR.height}" rx="2"/>`,
    `<rect class="level ${level}" x="${x + labelled}" y="${round(y)}" width="${round(filled)}" height="${BAR.height}" rx="2"/>`,
    `<text class="small" x="${x + labelled + length + 6}" y="${middle}">${percent}</text>`,
  ].join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function widthOf(box: Box): number {
  return measure(box).width;
}

/** A whole picture; `inside` comes before the boxes. */
export function drawing(box: Box, title: string, inside = '', margin = 0): string {
  const root = measure(box);
  const { width, height } = { width: root.width + 2 * margin, height: root.height + 2 * margin };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="map" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="${escapeXml(title)}">`,
    inside,
    draw(root, margin, margin),
    '</svg>\n',
  ].join('\n');
}

export function escapeXml(value: string): string {
  return (
    value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for them
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '')
  );
}
