/** Boxes in boxes: how large each is, and where it stands. Widths are those of a monospace font. */

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
  /** Where arrows begin and end: `node work-1`, `host pve1`, `arrival work-1`. */
  readonly anchor?: string;
  /** Makes it something to open: its id, and what a screen reader says of it. */
  readonly opens?: { readonly id: string; readonly label: string };
}

export interface Dot {
  readonly kind: string;
  /** One character that tells its state without its colour. */
  readonly sign: string;
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

export const FONT = { title: 15, plain: 12.5, faint: 12.5, small: 11 } as const;
/** Advance of a monospace glyph in em; 0.602 in DejaVu Sans Mono and Menlo, and some air. */
const GLYPH = 0.615;
export const LINE_GAP = 5;
const PADDING = 10;
export const GAP = 10;
export const BAR = { height: 8, label: 38, width: 120, most: 220, percent: 40 } as const;
export const DOT = { size: 16, gap: 4, row: 12 } as const;

const measured = new WeakMap<Box, Measured>();

/** A box that was drawn before is not measured again. */
export function measure(box: Box): Measured {
  const known = measured.get(box) ?? sizeOf(box);
  measured.set(box, known);
  return known;
}

function sizeOf(box: Box): Measured {
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
export function paddingOf({ kind }: Box): number {
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

export function labelWidth(bars: NonNullable<Box['bars']>): number {
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

/** A box where it stands, with those inside it. */
export interface Placed extends Size {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
  readonly children: readonly Placed[];
}

/** The box fills the size it is given. */
export function place(whole: Measured, x: number, y: number, size: Size = whole): Placed {
  const { box, rows, columns } = whole;
  const padding = paddingOf(box);
  const { lines, bars = [], dots = [] } = box;
  let at = y + padding + whole.text.height;
  if (lines.length + bars.length + dots.length > 0) at += GAP;
  // What is left over of the width goes to the columns alike.
  const spare = Math.max(0, size.width - 2 * padding - spaced(columns)) / Math.max(1, columns.length);
  const children: Placed[] = [];
  for (const row of rows) {
    let left = x + padding;
    for (const [column, member] of row.members.entries()) {
      const width = (columns[column] ?? 0) + spare;
      children.push(place(member, round(left), round(at), { width: round(width), height: row.height }));
      left += width + GAP;
    }
    at += row.height + GAP;
  }
  return { box, x, y, width: size.width, height: size.height, children };
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export const title = (text: string): Line => ({ text, style: 'title' });
export const plain = (text: string): Line => ({ text, style: 'plain' });
export const faint = (text: string): Line => ({ text, style: 'faint' });
export const small = (text: string): Line => ({ text, style: 'small' });
