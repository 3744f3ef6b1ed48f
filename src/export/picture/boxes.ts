/** Boxes in boxes as SVG: each as large as its text and what is inside it. */
import { ARROW_ROOM, arrowLines, type Move } from './arrows.js';
import { escapeXml } from './escape-xml.js';
import {
  BAR,
  type Box,
  DOT,
  type Dot,
  FONT,
  LINE_GAP,
  labelWidth,
  measure,
  type Placed,
  paddingOf,
  place,
  round,
} from './layout.js';

/** SVG elements of a box and everything inside it. */
function draw({ box, x, y, width, height, children }: Placed): string {
  const padding = paddingOf(box);
  const { lines, bars = [], dots = [], opens } = box;
  const role = opens
    ? ` data-id="${escapeXml(opens.id)}" tabindex="0" role="button"><title>${escapeXml(opens.label)}</title>`
    : '>';
  const out = [
    `<g class="box ${box.kind}"${role}<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
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
    out.push(drawBar(label, share, x + padding, at, labelWidth(bars), barWidth(width, bars)));
    at += BAR.height + LINE_GAP;
  }
  out.push(drawDots(dots, x + padding, at), '</g>', ...children.map(draw));
  return out.join('');
}

/** All dots of a kind are one path and one text: a thousand nodes are no thousand elements. */
function drawDots(dots: readonly Dot[], x: number, y: number): string {
  const kinds = new Map<string, { squares: string[]; signs: string; xs: number[]; ys: number[] }>();
  for (const [index, { kind, sign }] of dots.entries()) {
    const left = x + (index % DOT.row) * (DOT.size + DOT.gap);
    const top = round(y + Math.floor(index / DOT.row) * (DOT.size + DOT.gap));
    const group = kinds.get(kind) ?? { squares: [], signs: '', xs: [], ys: [] };
    kinds.set(kind, group);
    group.squares.push(`M${left} ${top}h${DOT.size}v${DOT.size}h-${DOT.size}z`);
    group.signs += sign;
    group.xs.push(left + DOT.size / 2);
    group.ys.push(round(top + 12));
  }
  return [...kinds]
    .map(
      ([kind, { squares, signs, xs, ys }]) =>
        `<g class="dots ${kind}"><path d="${squares.join('')}"/><text class="small" x="${xs.join(' ')}" y="${ys.join(' ')}">${escapeXml(signs)}</text></g>`,
    )
    .join('');
}

/** What the box leaves, within reason. */
function barWidth(width: number, bars: NonNullable<Box['bars']>): number {
  const left = width - 2 * paddingOf({ kind: '', lines: [] }) - labelWidth(bars) - BAR.percent;
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

/** A whole picture; `inside` comes before the boxes, `moves` are arrows over them. */
export function drawing(box: Box, title: string, moves: readonly Move[], inside = '', margin = 0): string {
  const root = measure(box);
  const { width, height } = { width: root.width + 2 * margin, height: root.height + 2 * margin };
  const placed = place(root, margin, margin);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="map" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="${escapeXml(title)}">`,
    inside,
    draw(placed),
    arrowLines(placed, moves),
    '</svg>\n',
  ].join('\n');
}

interface Piece {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  /** Drawn from its own corner, so that moving it does not draw it again. */
  readonly svg: string;
}

const drawn = new WeakMap<Box, { readonly size: string; readonly svg: string }>();

/** The same picture in pieces, one for each box in `box`: a page puts in only those that are not there yet. */
export function drawingPieces(
  box: Box,
  moves: readonly Move[],
): { readonly width: number; readonly height: number; readonly pieces: Piece[]; readonly arrows: string } {
  const room = moves.length > 0 ? ARROW_ROOM : 0;
  const root = place(measure(box), room, room);
  return {
    width: root.width + 2 * room,
    height: root.height + 2 * room,
    pieces: root.children.map((child) => ({
      key: child.box.anchor ?? '',
      x: child.x,
      y: child.y,
      svg: pieceOf(child),
    })),
    arrows: arrowLines(root, moves),
  };
}

function pieceOf({ box, width, height }: Placed): string {
  const size = `${width} ${height}`;
  const known = drawn.get(box);
  if (known?.size === size) return known.svg;
  const svg = draw(place(measure(box), 0, 0, { width, height }));
  drawn.set(box, { size, svg });
  return svg;
}
