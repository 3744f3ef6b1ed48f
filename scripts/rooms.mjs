// Prints the rooms of src: files, lines, median and longest file, longest function. With --json as data.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '../src');
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Product code: no tests, and nothing that a generator wrote. */
export function productFiles(folder = SRC) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'gen' ? [] : productFiles(path);
    return /\.tsx?$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name) ? [path] : [];
  });
}

/** Name, first line and length of every function of a file, counted plainly: with the functions inside it. */
export function functionsIn(path, text = readFileSync(path, 'utf8')) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const found = [];
  const lineOf = lineFinder(text);
  const visit = (node, name, around) => {
    if (Array.isArray(node)) {
      for (const item of node) visit(item, name, around);
      return;
    }
    if (typeof node !== 'object' || node === null || typeof node.type !== 'string') return;
    const own = node.id?.name ?? node.key?.name ?? name;
    let inside = around;
    if (FUNCTIONS.has(node.type) && node.body) {
      const line = lineOf(node.start);
      const lines = lineOf(node.end) - line + 1;
      inside = { name: own ?? '(anonymous)', line, lines };
      found.push(inside);
    }
    for (const value of Object.values(node)) visit(value, own, inside);
  };
  visit(program.body, undefined, undefined);
  return found;
}

function lineFinder(text) {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** What each file is: its room, its lines, its functions. */
export function measure() {
  return productFiles().map((path) => {
    const text = readFileSync(path, 'utf8');
    const name = relative(SRC, path);
    const room = name.includes('/') ? name.split('/')[0] : '.';
    return { name, room, lines: text.split('\n').length - 1, functions: functionsIn(path, text) };
  });
}

export function roomsOf(files) {
  const rooms = Map.groupBy ? Map.groupBy(files, ({ room }) => room) : groupByRoom(files);
  return [...rooms].sort().map(([room, own]) => {
    const lines = own.map((file) => file.lines).sort((a, b) => a - b);
    const longest = own.reduce((a, b) => (b.lines > a.lines ? b : a));
    const functions = own.flatMap((file) => file.functions.map((one) => ({ ...one, file: file.name })));
    const longestFunction = functions.reduce((a, b) => (b.lines > a.lines ? b : a), { name: '', lines: 0 });
    return {
      room,
      files: own.length,
      lines: lines.reduce((sum, one) => sum + one, 0),
      median: lines[lines.length >> 1],
      longest: { name: longest.name, lines: longest.lines },
      longestFunction,
    };
  });
}

function groupByRoom(files) {
  const rooms = new Map();
  for (const file of files) rooms.set(file.room, [...(rooms.get(file.room) ?? []), file]);
  return rooms;
}

function print(rooms) {
  const rows = [
    ['ROOM', 'FILES', 'LINES', 'MEDIAN', 'LONGEST FILE', 'LONGEST FUNCTION'],
    ...rooms.map(({ room, files, lines, median, longest, longestFunction }) => [
      room,
      String(files),
      String(lines),
      String(median),
      `${longest.lines} ${longest.name}`,
      `${longestFunction.lines} ${longestFunction.name}`,
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ');
  process.stdout.write(`${rows.map((row) => line(row).trimEnd()).join('\n')}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rooms = roomsOf(measure());
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rooms, null, 2)}\n`);
  else print(rooms);
}
