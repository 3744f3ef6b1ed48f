/** YAML text to plain values, with the place of each: never a stack trace, whatever the text. */
import { LineCounter, parseDocument } from 'yaml';
import { blotOut, redactText } from '../formats/redact/redact-text.js';
import { codeFrame, type Diagnostic } from './diagnostics.js';
import type { Position, PositionOf } from './position.js';
import { MAX_PROBLEMS, Report } from './report.js';
import { redactConfigSource } from './secret-ref.js';
import { yamlProblem } from './yaml-problem.js';
import { YamlReader } from './yaml-reader.js';

/** A thousand nodes written one by one take about 200 KB. */
export const MAX_TEXT_LENGTH = 2 * 1024 * 1024;

export interface ConfigSource {
  /** In the shape of oxherd.yaml. */
  readonly raw: unknown;
  readonly positionOf: PositionOf;
  /** The line of a position with a mark under it; '' where there is none. */
  readonly frameOf: (position: Position) => string;
}

export function readYamlSource(
  file: string,
  text: string,
): { source?: ConfigSource; diagnostics: Diagnostic[] } {
  if (text.length > MAX_TEXT_LENGTH) {
    const size = (text.length / 1e6).toFixed(1);
    return problemAtStart(file, 'yaml.too-large', `the file has ${size} MB; a config has at most 2 MB`);
  }
  const lineCounter = new LineCounter();
  let document: ReturnType<typeof parseDocument>;
  try {
    document = parseDocument(text, {
      lineCounter,
      prettyErrors: false,
      // Checked below: the library's own check compares every key with every other.
      uniqueKeys: false,
      keepSourceTokens: false,
    });
  } catch (error) {
    // The parser recurses: text such as `[[[[…` ends its stack.
    if (!(error instanceof RangeError)) throw error;
    return problemAtStart(file, 'yaml.too-deep', 'the file is nested too deeply');
  }

  const placeOf = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const reader = new YamlReader(document.contents, placeOf);
  const syntax = [...document.errors, ...document.warnings].slice(0, MAX_PROBLEMS).map((e) => ({
    ...yamlProblem(e.code, redactText(redactConfigSource(e.message))),
    offset: e.pos[0],
  }));
  // What a broken document holds is a guess of the parser: report the syntax alone.
  const raw = syntax.length === 0 ? reader.read() : undefined;
  const problems = [...syntax, ...reader.problems];

  // Only where there is a problem to show.
  let lines: readonly string[] | undefined;
  const frameOf = (position: Position): string => {
    if (position.file !== file) return '';
    lines ??= reader.secrets
      .reduce((redacted, [start, end]) => blotOut(redacted, start, end), redactConfigSource(text))
      .split(/\r\n|\r|\n/);
    return codeFrame(lines, position.line, position.column);
  };

  if (problems.length > 0) {
    let current = placeOf(0);
    const report = new Report(() => current, frameOf);
    for (const { offset, ...problem } of problems) {
      current = placeOf(offset);
      report.error({ ...problem, path: [] });
    }
    return { diagnostics: report.list() };
  }
  if (raw === undefined || raw === null) {
    return problemAtStart(file, 'yaml.empty', 'the file is empty', 'start one with `oxherd init`');
  }
  return {
    source: { raw, positionOf: (path, part) => reader.positionOf(path, part), frameOf },
    diagnostics: [],
  };
}

function problemAtStart(file: string, code: string, message: string, hint?: string) {
  const report = new Report(
    () => ({ file, line: 1, column: 1 }),
    () => '',
  );
  report.error({ code, path: [], message, hint });
  return { diagnostics: report.list() };
}
