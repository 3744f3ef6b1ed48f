// Runs of product code that stand twice: more than LONGEST lines in a row, without imports, comments and blank lines.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productFiles } from './rooms.mjs';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '../src');
const LONGEST = 12;

/** Lines of code with their numbers; what every file begins with, and words for people, are none. */
export function codeLines(text) {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^import\b[^;]*;/gm, (line) => line.replace(/[^\n]/g, ' '));
  return code.split('\n').flatMap((line, index) => {
    const bare = line.replace(/^\s*\/\/.*/, '').trim();
    return bare === '' ? [] : [{ line: index + 1, text: bare }];
  });
}

/** Pairs of places whose code is the same for more than `longest` lines, as long as each run goes. */
export function repeats(files, longest = LONGEST) {
  const size = longest + 1;
  const windows = new Map();
  const found = [];
  const covered = new Set();
  for (const [file, { lines }] of files.entries()) {
    for (let at = 0; at + size <= lines.length; at += 1) {
      const key = lines
        .slice(at, at + size)
        .map(({ text }) => text)
        .join('\n');
      const earlier = windows.get(key);
      if (!earlier) {
        windows.set(key, { file, at });
        continue;
      }
      if (earlier.file === file && at - earlier.at < size) continue;
      const diagonal = `${earlier.file} ${file} ${at - earlier.at}`;
      if (covered.has(`${diagonal} ${at - 1}`)) {
        covered.add(`${diagonal} ${at}`);
        continue;
      }
      covered.add(`${diagonal} ${at}`);
      found.push(pairAt(files, earlier, { file, at }));
    }
  }
  return found;
}

function pairAt(files, first, second) {
  const [a, b] = [files[first.file].lines, files[second.file].lines];
  let length = 0;
  while (a[first.at + length] && a[first.at + length].text === b[second.at + length]?.text) length += 1;
  return {
    lines: length,
    first: { name: files[first.file].name, line: a[first.at].line },
    second: { name: files[second.file].name, line: b[second.at].line },
  };
}

export function productRepeats() {
  const files = productFiles().map((path) => ({
    name: relative(SRC, path),
    lines: codeLines(readFileSync(path, 'utf8')),
  }));
  return repeats(files);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const pairs = productRepeats();
  for (const { lines, first, second } of pairs)
    process.stdout.write(
      `${lines} lines: src/${first.name}:${first.line} and src/${second.name}:${second.line}\n`,
    );
  process.stdout.write(`${pairs.length} runs longer than ${LONGEST} lines\n`);
}
