/** Planned moves as arrows: from where a node is to where it goes. Moves between the same two places are one arrow. */
import { escapeXml } from './escape-xml.js';
import { type Placed, round } from './layout.js';

export interface Move {
  /** Anchors, the closest look first: the first one that is drawn is used. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly title: string;
}

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How far a curve bows out of a straight line, at most. */
const BOW = 60;
const HEAD = { length: 9, half: 4.5 } as const;
/** Arrows that end at the same box end beside each other. */
const BESIDE = 14;

export function arrowLines(root: Placed, moves: readonly Move[]): string {
  if (moves.length === 0) return '';
  const places = new Map<string, Rect>();
  collect(root, places);
  const arrows = new Map<string, { from: string; to: string; titles: string[] }>();
  for (const move of moves) {
    const from = move.from.find((anchor) => places.has(anchor));
    const to = move.to.find((anchor) => places.has(anchor));
    if (from === undefined || to === undefined) continue;
    const arrow = arrows.get(`${from}\n${to}`) ?? { from, to, titles: [] };
    arrows.set(`${from}\n${to}`, arrow);
    arrow.titles.push(move.title);
  }
  const ended = new Map<string, number>();
  const lines = [...arrows.values()].map(({ from, to, titles }) => {
    const nth = ended.get(to) ?? 0;
    ended.set(to, nth + 1);
    const [start, end] = [places.get(from), places.get(to)];
    return start && end ? arrow(start, end, titles, nth * BESIDE) : '';
  });
  return `<g class="moves" aria-hidden="true">${lines.join('')}</g>`;
}

function collect({ box, children, ...rect }: Placed, places: Map<string, Rect>): void {
  if (box.anchor !== undefined) places.set(box.anchor, rect);
  for (const child of children) collect(child, places);
}

/** Leaves and arrives at the sides that face each other, level with the names. */
function arrow(start: Rect, end: Rect, titles: readonly string[], beside: number): string {
  const isBeside = start.x + start.width <= end.x || end.x + end.width <= start.x;
  const points = isBeside ? sideways(start, end, beside) : upright(start, end, beside);
  const { x1, y1, x2, y2, dx, dy } = points;
  const path = `M${x1} ${y1}C${round(x1 + dx)} ${round(y1 + dy)} ${round(x2 - dx)} ${round(y2 - dy)} ${x2} ${y2}`;
  const { length, half } = HEAD;
  const [ux, uy] = [Math.sign(dx), Math.sign(dy)];
  const head = `M${x2} ${y2}l${round(-ux * length - uy * half)} ${round(-uy * length - ux * half)}l${round(2 * uy * half)} ${round(2 * ux * half)}z`;
  const count =
    titles.length > 1
      ? `<text class="small" x="${round((x1 + x2) / 2)}" y="${round((y1 + y2) / 2 - 4)}">${titles.length}</text>`
      : '';
  return `<g class="move"><title>${titles.map(escapeXml).join('\n')}</title><path class="halo" d="${path}"/><path class="line" d="${path}"/><circle cx="${x1}" cy="${y1}" r="3.5"/><path class="head" d="${head}"/>${count}</g>`;
}

interface Curve {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly dx: number;
  readonly dy: number;
}

function sideways(start: Rect, end: Rect, beside: number): Curve {
  const isRight = start.x < end.x;
  const x1 = round(isRight ? start.x + start.width : start.x);
  const x2 = round(isRight ? end.x : end.x + end.width);
  const dx = Math.max(12, Math.min(BOW, Math.abs(x2 - x1) / 2)) * (isRight ? 1 : -1);
  return { x1, y1: level(start, 0), x2, y2: level(end, beside), dx, dy: 0 };
}

function upright(start: Rect, end: Rect, beside: number): Curve {
  const isDown = start.y < end.y;
  const y1 = round(isDown ? start.y + start.height : start.y);
  const y2 = round(isDown ? end.y : end.y + end.height);
  const middle = ({ x, width }: Rect, by: number) => round(x + Math.min(width - 12, width / 2 + by));
  const dy = Math.max(12, Math.min(BOW, Math.abs(y2 - y1) / 2)) * (isDown ? 1 : -1);
  return { x1: middle(start, 0), y1, x2: middle(end, beside), y2, dx: 0, dy };
}

function level({ y, height }: Rect, by: number): number {
  return round(y + Math.min(height - 8, 18 + by));
}
