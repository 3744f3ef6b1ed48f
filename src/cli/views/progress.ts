/** A run as it happens: live on a terminal, line by line elsewhere, one JSON event per line with `--json`. */
import { redactStrings } from '../../formats/redact/redact-text.js';
import type { Clock } from '../../model/clock.js';
import { elapsed } from '../../model/duration.js';
import type { RunEvent } from '../../model/events.js';
import type { Plan } from '../../session/plan/index.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';
import { ownEscape, withoutControls } from './terminal-text.js';

export interface ProgressView {
  readonly emit: (event: RunEvent) => void;
  close(): void;
}

export function progressView(context: CliContext, plan: Plan, clock: Clock): ProgressView {
  if (context.globals.json) {
    return {
      emit: (event) => context.stdout.write(`${JSON.stringify(redactStrings(event))}\n`),
      close: () => {},
    };
  }
  const lines = new Lines(context, plan);
  if (context.globals.log?.level === 'error') {
    return {
      emit: (event) => (event.type === 'step-failed' ? lines.print(event) : lines.pass(event)),
      close: () => {},
    };
  }
  return context.stdout.isTTY
    ? new Live(context, lines, clock)
    : { emit: (event) => lines.print(event), close: () => {} };
}

/** One line per finished step. */
class Lines {
  readonly #total: number;
  readonly #width: number;
  readonly #titles = new Map<string, { title: string; node: string }>();
  #finished = 0;

  constructor(
    private readonly context: CliContext,
    plan: Plan,
  ) {
    this.#total = plan.steps.length;
    this.#width = Math.max(0, ...plan.steps.map((step) => (step.node ?? '').length));
    for (const step of plan.steps) this.#titles.set(step.id, { title: step.title, node: step.node ?? '' });
  }

  titleOf(step: string): string {
    const { title, node } = this.#titles.get(step) ?? { title: step, node: '' };
    return `${node.padEnd(this.#width)}  ${title}`;
  }

  /** Counted, and not told. */
  pass(event: RunEvent): void {
    this.lineOf(event);
  }

  print(event: RunEvent): void {
    const line = this.lineOf(event);
    if (line !== undefined) this.context.stdout.write(`${line}\n`);
  }

  lineOf(event: RunEvent): string | undefined {
    const colors = paint(this.context.globals.color);
    if (event.type === 'step-done') {
      this.#finished += 1;
      const how = event.already ? colors.dim('unchanged') : colors.dim(elapsed(event.ms));
      const warnings = event.warnings
        .map((warning) => `\n         ${colors.yellow('warning')} ${warning}`)
        .join('');
      return `${this.#counter()} ${colors.green('✓')} ${this.titleOf(event.step)}  ${how}${warnings}`;
    }
    if (event.type === 'step-failed') {
      this.#finished += 1;
      const advice = event.error.advice ? `\n         ${colors.dim('next')} ${event.error.advice}` : '';
      return `${this.#counter()} ${colors.red('✗')} ${this.titleOf(event.step)}  ${colors.dim(elapsed(event.ms))}\n         ${colors.red(event.error.message)}${advice}`;
    }
    return undefined;
  }

  #counter(): string {
    const width = String(this.#total).length;
    return `[${String(this.#finished).padStart(width)}/${this.#total}]`;
  }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SHOWN_AT_ONCE = 8;

/** Finished steps scroll away above; what runs is drawn again and again below. */
class Live implements ProgressView {
  readonly #running = new Map<string, { since: number; message: string }>();
  readonly #timer: NodeJS.Timeout;
  #drawn = 0;
  #frame = 0;

  constructor(
    private readonly context: CliContext,
    private readonly lines: Lines,
    private readonly clock: Clock,
  ) {
    this.#timer = setInterval(() => this.#draw(), 100);
    this.#timer.unref();
  }

  readonly emit = (event: RunEvent): void => {
    if (event.type === 'step-started') this.#running.set(event.step, { since: event.at, message: '' });
    if (event.type === 'step-progress') {
      const entry = this.#running.get(event.step);
      if (entry) entry.message = event.message;
    }
    const line = this.lines.lineOf(event);
    if (line === undefined) return;
    if (event.type === 'step-done' || event.type === 'step-failed') this.#running.delete(event.step);
    this.#erase();
    this.context.stdout.write(`${line}\n`);
    this.#draw();
  };

  close(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #erase(): void {
    if (this.#drawn > 0) this.context.stdout.write(ownEscape(`[${this.#drawn}A`) + ownEscape('[J'));
    this.#drawn = 0;
  }

  #draw(): void {
    this.#erase();
    const colors = paint(this.context.globals.color);
    const columns = this.context.stdout.columns ?? 100;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const shown = [...this.#running].slice(0, SHOWN_AT_ONCE).map(([step, { since, message }]) => {
      const text = `${FRAMES[this.#frame]} ${this.lines.titleOf(step)}  ${elapsed(this.clock.now() - since)}  ${message}`;
      // One line each: what is drawn is erased by counting lines.
      return colors.cyan(
        withoutControls(text)
          .replaceAll('\n', ' ')
          .slice(0, columns - 1),
      );
    });
    const more = this.#running.size - shown.length;
    if (more > 0) shown.push(colors.dim(`  and ${more} more`));
    if (shown.length > 0) this.context.stdout.write(`${shown.join('\n')}\n`);
    this.#drawn = shown.length;
  }
}
