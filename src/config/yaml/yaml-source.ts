/** YAML text to plain values, with the place of each: never a stack trace, whatever the text. */
import { blotOutAll, redactText } from '../../formats/redact/redact-text.js';
import { type ComposedYaml, composeYaml, FEW_TOKENS, YamlTextError } from '../../formats/text/yaml-text.js';
import { codeFrame, type Diagnostic } from '../diagnostics.js';
import { encryptedText } from '../foreign/encrypted.js';
import { type KeptComment, renovateComments } from '../foreign/renovate.js';
import { MAX_PROBLEMS, Report } from '../report.js';
import { redactConfigSource } from '../secret-ref.js';
import type { Path, Position, PositionOf } from './position.js';
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
  /** What Renovate reads beside a value. */
  readonly commentOf?: (path: Path) => KeptComment | undefined;
}

export function readYamlSource(
  file: string,
  text: string,
): { source?: ConfigSource; diagnostics: Diagnostic[] } {
  if (text.length > MAX_TEXT_LENGTH) {
    const size = (text.length / 1e6).toFixed(1);
    return problemAtStart(file, 'yaml.too-large', `the file has ${size} MB; a config has at most 2 MB`);
  }
  const encrypted = encryptedText(file, text);
  if (encrypted) return problemAtStart(file, encrypted.code, encrypted.message, encrypted.hint);
  let composed: ComposedYaml;
  try {
    composed = composeYaml(text, { maxTokens: FEW_TOKENS });
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error;
    return problemAtStart(file, `yaml.${error.fault}`, error.detail.replace('the text', 'the file'));
  }
  const placeOf = (offset: number): Position => ({ file, ...composed.placeOf(offset) });
  const [document, second] = composed.documents;
  const reader = new YamlReader(document?.contents ?? null, placeOf);
  const syntax = [...(document?.errors ?? []), ...(document?.warnings ?? [])]
    .slice(0, MAX_PROBLEMS)
    .map((error) => ({
      ...yamlProblem(error.code, redactText(redactConfigSource(error.message))),
      offset: error.pos[0],
    }));
  if (second) syntax.push({ ...yamlProblem('MULTIPLE_DOCS', ''), offset: second.range[0] });
  // What a broken document holds is a guess of the parser: report the syntax alone.
  const raw = syntax.length === 0 ? reader.read() : undefined;
  const problems = [...syntax, ...reader.problems];

  // Only where there is a problem to show.
  let lines: readonly string[] | undefined;
  const frameOf = (position: Position): string => {
    if (position.file !== file) return '';
    lines ??= blotOutAll(redactConfigSource(text), reader.secrets).split(/\r\n|\r|\n/);
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
  const commentAt = renovateComments(text);
  return {
    source: {
      raw,
      positionOf: (path, part) => reader.positionOf(path, part),
      frameOf,
      commentOf: (path) => commentAt(reader.positionOf(path).line),
    },
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
