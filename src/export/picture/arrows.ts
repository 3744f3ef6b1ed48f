/** Planned moves as arrows: from where a node is to where it goes. They run in the gaps between boxes and cross no text. */
import { escapeXml } from './escape-xml.js';
import { GAP, type Placed, round } from './layout.js';

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

/** A box with the host that it is in. */
interface Spot {
  readonly rect: Rect;
  readonly host: Rect;
}

type Point = readonly [x: number, y: number];

/** What arrows need around the boxes. */
export const ARROW_ROOM = 8;
const HEAD = { length: 8, half: 4 } as const;
/** The line of a box's name. */
const LEVEL = 18;
/** Arrows in one gap run beside each other. */
const LANES = [0, 3, -3] as const;
const INSIDE = 16;

export function arrowLines(root: Placed, moves: readonly Move[]): string {
  if (moves.length === 0) return '';
  const spots = new Map<string, Spot>();
  collect(root, root, spots);
  const arrows = new Map<string, { from: Spot; to: Spot; titles: string[] }>();
  for (const move of moves) {
    const [from, to] = [move.from, move.to].map((names) => names.find((name) => spots.has(name)) ?? '');
    const key = `${from}\n${to}`;
    const [start, end] = [spots.get(from ?? ''), spots.get(to ?? '')];
    if (!start || !end) continue;
    const arrow = arrows.get(key) ?? { from: start, to: end, titles: [] };
    arrows.set(key, arrow);
    arrow.titles.push(move.title);
  }
  const lines = [...arrows.values()].map(({ from, to, titles }, index) =>
    arrow(route(from, to, LANES[index % LANES.length] ?? 0), titles),
  );
  return `<g class="moves" aria-hidden="true">${lines.join('')}</g>`;
}

function collect(placed: Placed, host: Rect, spots: Map<string, Spot>): void {
  const { anchor } = placed.box;
  const own = anchor?.startsWith('host ') ? placed : host;
  if (anchor !== undefined) spots.set(anchor, { rect: placed, host: own });
  for (const child of placed.children) collect(child, own, spots);
}

/** Out of the box, along the gap beside its host, along the gap below where hosts are between, and in at the side. */
function route(from: Spot, to: Spot, lane: number): Point[] {
  const isRight = to.host.x >= from.host.x;
  const isColumn = to.host.x === from.host.x;
  const beside = ({ x, width }: Rect, right: boolean) => (right ? x + width + GAP / 2 : x - GAP / 2) + lane;
  const out = beside(from.host, isRight);
  const into = isColumn ? out : beside(to.host, !isRight);
  const level = round(to.rect.y + Math.min(to.rect.height - 8, LEVEL));
  const end: Point = [isRight && !isColumn ? to.rect.x : to.rect.x + to.rect.width, level];
  const isBetween = Math.abs(out - into) > GAP;
  const row = to.host.y < from.host.y ? from.host.y - GAP / 2 : from.host.y + from.host.height + GAP / 2;
  const across: Point[] = isBetween
    ? [
        [out, row + lane],
        [into, row + lane],
      ]
    : [];
  const start = leaving(from, isRight, lane);
  const first = start.at(-1)?.[1] ?? 0;
  return [...start, [out, first], ...across, [into, level], end];
}

/** A node is left downwards, into the gap between rows; a host at its side. */
function leaving({ rect, host }: Spot, isRight: boolean, lane: number): Point[] {
  const { x, y, width, height } = rect;
  // On the left is its name.
  if (rect === host) return [[isRight ? x + width - INSIDE : x, y + LEVEL]];
  const middle = x + width / 2 + 2 * lane;
  return [
    [middle, y + height],
    [middle, y + height + GAP / 2],
  ];
}

function arrow(points: readonly Point[], titles: readonly string[]): string {
  const [[x1, y1] = [0, 0]] = points;
  const [x2, y2] = points.at(-1) ?? [0, 0];
  const comesFrom = points.at(-2)?.[0] ?? x2;
  const back = (comesFrom <= x2 ? -1 : 1) * HEAD.length;
  const path = `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}`;
  const head = `M${round(x2)} ${y2}l${back} ${-HEAD.half}v${2 * HEAD.half}z`;
  const count =
    titles.length > 1
      ? `<text class="small" x="${round(x1)}" y="${round(y1 - 6)}">${titles.length}</text>`
      : '';
  return `<g class="move"><title>${titles.map(escapeXml).join('\n')}</title><path class="line" d="${path}"/><circle cx="${round(x1)}" cy="${round(y1)}" r="3.5"/><path class="head" d="${head}"/>${count}</g>`;
}
