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

const FONT = { title: 15, plain: 12.5, faint: 12.5, small: 11 } as const;
/** Advance of a monospace glyph in em; 0.602 in DejaVu Sans Mono and Menlo, and some air. */
const GLYPH = 0.615;
const LINE_GAP = 5;
const PADDING = 10;
const GAP = 10;
const BAR = { height: 8, label: 38, width: 120 } as const;

export function measure(box: Box): Size {
  const text = textSize(box);
  const { width, height } = gridSize(box);
  return {
    width: Math.ceil(Math.max(text.width, width) + 2 * PADDING),
    height: Math.ceil(text.height + (height > 0 ? height + (text.height > 0 ? GAP : 0) : 0) + 2 * PADDING),
  };
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

interface Row {
  readonly boxes: readonly Box[];
  readonly height: number;
}

function rowsOf({ children = [], columns = 1 }: Box): readonly Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < children.length; i += columns) {
    const boxes = children.slice(i, i + columns);
    rows.push({ boxes, height: Math.max(...boxes.map((child) => measure(child).height)) });
  }
  return rows;
}

function columnWidths({ children = [], columns = 1 }: Box): readonly number[] {
  return Array.from({ length: Math.min(columns, children.length) }, (_, column) =>
    Math.max(...children.filter((_child, i) => i % columns === column).map((child) => measure(child).width)),
  );
}

function gridSize(box: Box): Size {
  const widths = columnWidths(box);
  const rows = rowsOf(box);
  return {
    width: widths.reduce((sum, width) => sum + width, 0) + Math.max(0, widths.length - 1) * GAP,
    height: rows.reduce((sum, row) => sum + row.height, 0) + Math.max(0, rows.length - 1) * GAP,
  };
}

/** SVG elements; the box fills the size it is given. */
export function draw(box: Box, x: number, y: number, size: Size = measure(box)): string {
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
  const children = box.children ?? [];
  if (children.length === 0) return out.join('');
  if (lines.length + bars.length > 0) at += GAP;
  // What is left over of the width goes to the columns alike.
  const widths = columnWidths(box);
  const spare = (size.width - 2 * PADDING - gridSize(box).width) / Math.max(1, widths.length);
  for (const row of rowsOf(box)) {
    let left = x + PADDING;
    for (const [column, child] of row.boxes.entries()) {
      const width = (widths[column] ?? 0) + Math.max(0, spare);
      out.push(draw(child, round(left), round(at), { width: round(width), height: row.height }));
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
