/** Lines with ANSI colours as an SVG of a dark terminal. */
import { escapeXml } from '../../src/export/picture/escape-xml.js';

const COLUMNS = 112;
const CHARACTER = 8.4;
const LINE = 19;
const MARGIN = 18;
const BAR = 30;

/** Codes of ECMA-48 that the views use. */
const COLORS: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
};
const PLAIN = '#e6edf3';
const DIM = '#8b949e';

interface Style {
  color?: string;
  bold?: boolean;
  dim?: boolean;
}

interface Run {
  readonly text: string;
  readonly column: number;
  readonly style: Style;
}

export function drawTerminal(title: string, lines: readonly string[]): string {
  const width = Math.round(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN + BAR;
  const rows = lines.flatMap((line, index) => drawLine(line, BAR + MARGIN + (index + 0.75) * LINE));
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${20 + index * 20}" cy="18" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    ...dots,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Every run stands at its own column, so that columns hold whatever the font. */
function drawLine(line: string, y: number): string[] {
  const runs = readRuns(line);
  if (runs.length === 0) return [];
  const parts = runs.map(({ text, column, style }) => {
    const fill = style.color ?? (style.dim ? DIM : PLAIN);
    const weight = style.bold ? ' font-weight="bold"' : '';
    const x = (MARGIN + column * CHARACTER).toFixed(1);
    const length = ([...text].length * CHARACTER).toFixed(1);
    return `<tspan x="${x}" textLength="${length}" fill="${fill}"${weight}>${escapeXml(text)}</tspan>`;
  });
  return [`<text y="${y.toFixed(1)}">${parts.join('')}</text>`];
}

function readRuns(line: string): Run[] {
  const runs: Run[] = [];
  let style: Style = {};
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is read here
  for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
    if (part.startsWith('\x1b[')) {
      for (const code of part.slice(2, -1).split(';')) style = applyCode(style, Number(code));
      continue;
    }
    const characters = [...part];
    const left = COLUMNS - column;
    const cut = characters.length > left ? [...characters.slice(0, left - 1), '…'] : characters;
    // Spaces need no glyphs; what stands after them has a column of its own.
    for (const word of cut.join('').matchAll(/\S+(?: \S+)*/g)) {
      const before = [...cut.join('').slice(0, word.index)].length;
      runs.push({ text: word[0], column: column + before, style });
    }
    column += characters.length;
    if (characters.length > left) break;
  }
  return runs;
}

function applyCode(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) {
    const { color: _, ...rest } = style;
    return rest;
  }
  const color = COLORS[code];
  return color ? { ...style, color } : style;
}
