/** The blocks of a plan as lines of a terminal. */
import { counted } from '../../model/count.js';
import {
  blockView,
  isDisruptive,
  type PlanBlock,
  type StepSign,
  type StepView,
} from '../../session/plan/index.js';
import type { Paint } from './paint.js';

/** More of a config's difference is shown by `--full`. */
const DIFF_LINES = 24;

export function blockText(block: PlanBlock, colors: Paint, full: boolean): string {
  const { heading, steps, foot } = blockView(block);
  return [
    colors.bold(heading),
    ...steps.flatMap((step) => stepLines(step, colors, full)),
    ...(foot === undefined ? [] : [colors.dim(`      ${foot}`)]),
  ].join('\n');
}

function stepLines(step: StepView, colors: Paint, full: boolean): string[] {
  return [
    `  ${SIGN_COLORS[step.sign](colors)} ${step.title}${impactMark(step, colors)}`,
    ...step.reasons.map(
      ({ text, drift }) =>
        `${colors.dim(`      ${text}`)}${drift === undefined ? '' : colors.yellow(`  (${drift})`)}`,
    ),
    ...diffLines(step.diff, colors, full),
  ];
}

function diffLines(lines: readonly string[], colors: Paint, full: boolean): string[] {
  const shown = full ? lines : lines.slice(0, DIFF_LINES);
  const more = lines.length - shown.length;
  return [
    ...shown.map((line) => `        ${paintDiff(line, colors)}`),
    ...(more > 0 ? [colors.dim(`        … ${counted(more, 'more line')}; see them with --full`)] : []),
  ];
}

function paintDiff(line: string, colors: Paint): string {
  if (line.startsWith('+')) return colors.green(line);
  if (line.startsWith('-')) return colors.red(line);
  return colors.dim(line);
}

const SIGN_COLORS: Readonly<Record<StepSign, (colors: Paint) => string>> = {
  '+': (colors) => colors.green('+'),
  '~': (colors) => colors.cyan('~'),
  '-': (colors) => colors.red('-'),
  '…': (colors) => colors.dim('…'),
  '!': (colors) => colors.red('!'),
  '↻': (colors) => colors.yellow('↻'),
};

function impactMark({ impact, effect }: StepView, colors: Paint): string {
  if (impact === 'none') return '';
  const words = `  ${effect}`;
  if (!isDisruptive(impact)) return colors.dim(words);
  return ['reset', 'remove', 'data-loss'].includes(impact) ? colors.red(words) : colors.yellow(words);
}
