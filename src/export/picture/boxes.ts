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
const BAR = { height: 8, label: 38, width: 120 } as const;

export function measure(box: Box): Measured {
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
    width: Math.ceil(Math.max(text.width, spaced(columns)) + 2 * PADDING),
    height: Math.ceil(text.height + between + inside + 2 * PADDING),
  };
}

/** Lengths one after the other, with gaps between them. */
function spaced(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + length, 0) + Math.max(0, lengths.length - 1) * GAP;
}

function textSize({ lines, bars = [] }: Box): Size {
  const width = Math.max(0, ...lines.map(lineWidth), bars.length > 0 ? BAR.label + BAR.width + 40 : 0);
  const height = lines.reduce((sum, line) => sum + FONT[line.style] + LINE_GAP, 0);
  return { width, height: height + bars.length * (BAR.height + LINE_GAP + 3) };
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
export function draw(measured: Measured, x: number, y: number, size: Size = measured): string {
  const { box, rows, columns } = measured;
  const { lines, bars = [] } = box;
  const out = [
    `<g class="box ${box.kind}"><rect x="${x}" y="${y}" width="${size.width}" height="${size.height}" rx="6"/>`,
  ];
  let at = y + PADDING;
  for (const line of lines) {
    at += FONT[line.style];
    out.push(
      `<text class="${line.style}" x="${x + PADDING}" y="${round(at)}">${escapeXml(line.text)}</text>`,
    );
    at += LINE_GAP;
  }
  for (const { label, share } of bars) {
    at += 3;
    out.push(drawBar(label, share, x + PADDING, at));
    at += BAR.height + LINE_GAP;
  }
  out.push('</g>');
  if (lines.length + bars.length > 0) at += GAP;
  // What is left over of the width goes to the columns alike.
  const spare = Math.max(0, size.width - 2 * PADDING - spaced(columns)) / Math.max(1, columns.length);
  for (const row of rows) {
    let left = x + PADDING;
    for (const [column, member] of row.members.entries()) {
      const width = (columns[column] ?? 0) + spare;
      out.push(draw(member, round(left), round(at), { width: round(width), height: row.height }));
      left += width + GAP;
    }
    at += row.height + GAP;
  }
  return out.join('');
}

function drawBar(label: string, share: number, x: number, y: number): string {
  const filled = Math.min(1, Math.max(0, share)) * BAR.width;
  const level = share > 1 ? 'over' : share > 0.9 ? 'high' : 'fine';
  const percent = `${Math.round(share * 100)}%`;
  const middle = round(y + BAR.height);
  return [
    `<text class="small" x="${x}" y="${middle}">${escapeXml(label)}</text>`,
    `<rect class="track" x="${x + BAR.label}" y="${round(y)}" width="${BAR.width}" height="${BAR.height}" rx="2"/>`,
    `<rect class="level ${level}" x="${x + BAR.label}" y="${round(y)}" width="${round(filled)}" height="${BAR.height}" rx="2"/>`,
    `<text class="small" x="${x + BAR.label + BAR.width + 6}" y="${middle}">${percent}</text>`,
  ].join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
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
