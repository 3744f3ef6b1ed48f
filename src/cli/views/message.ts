import { redactText } from '../../formats/redact/redact-text.js';
import type { SessionMessage } from '../../session/context.js';
import type { CliContext, LogSettings } from '../context.js';
import { paint } from './paint.js';

type Level = 'error' | 'warn' | 'info' | 'debug';

const LEVELS: Record<SessionMessage['kind'], Level> = { note: 'warn', progress: 'info', debug: 'debug' };

/** Flags win over `OXHERD_LOG`, which is a level, a format, or both: `debug`, `json`, `debug,json`. */
export function logSettings(
  given: { readonly verbose?: boolean; readonly quiet?: boolean; readonly logFormat?: LogSettings['format'] },
  env: Readonly<Record<string, string | undefined>>,
): LogSettings {
  const words = (env.OXHERD_LOG ?? '').toLowerCase().split(',');
  const asked = (['error', 'info', 'debug'] as const).find((level) => words.includes(level));
  return {
    format: given.logFormat ?? (words.includes('json') ? 'json' : 'text'),
    level: given.verbose ? 'debug' : given.quiet ? 'error' : (asked ?? 'info'),
  };
}

/** On stderr, so that what a command prints stays clean. */
export function messageView(view: Pick<CliContext, 'globals' | 'stderr'>): (message: SessionMessage) => void {
  const word = paint(view.globals.color).yellow('note');
  return ({ kind, message }) => {
    tell(view, LEVELS[kind], kind === 'note' ? `${word} ${message}` : message, { message });
  };
}

/** One line of the log: as text, or as an object with its time. */
export function tell(
  { globals, stderr }: Pick<CliContext, 'globals' | 'stderr'>,
  level: Level,
  text: string,
  fields: { readonly message: string; readonly [key: string]: unknown },
): void {
  const log = globals.log ?? { format: 'text', level: 'info' };
  if (level === 'debug' && log.level !== 'debug') return;
  if (level !== 'error' && log.level === 'error') return;
  if (log.format === 'text') {
    stderr.write(`${text}\n`);
    return;
  }
  const line = { time: new Date().toISOString(), level, ...fields, message: redactText(fields.message) };
  stderr.write(`${JSON.stringify(line)}\n`);
}
