import { ownEscape } from './terminal-text.js';

type Brush = (text: string | number) => string;

export interface Paint {
  readonly bold: Brush;
  readonly dim: Brush;
  readonly red: Brush;
  readonly green: Brush;
  readonly yellow: Brush;
  readonly cyan: Brush;
}

const PLAIN: Paint = paintWith(() => String);
const COLORED: Paint = paintWith((open, close) => {
  const [begin, end] = [ownEscape(`[${open}m`), ownEscape(`[${close}m`)];
  // What is painted inside ends its own colour: this one goes on behind it.
  return (text) => begin + String(text).replaceAll(end, begin) + end;
});

function paintWith(brush: (open: number, close: number) => Brush): Paint {
  return {
    bold: brush(1, 22),
    dim: brush(2, 22),
    red: brush(31, 39),
    green: brush(32, 39),
    yellow: brush(33, 39),
    cyan: brush(36, 39),
  };
}

export function paint(color: boolean): Paint {
  return color ? COLORED : PLAIN;
}
