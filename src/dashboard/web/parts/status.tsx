/** How something is: a sign, a word and a colour; never the colour alone. */
import type { ComponentChildren } from 'preact';

export type Level = 'ok' | 'note' | 'failed' | 'unknown' | 'quiet' | 'busy';

const SIGNS: Readonly<Record<Level, string>> = {
  ok: '✓',
  note: '!',
  failed: '✗',
  unknown: '?',
  quiet: '·',
  busy: '…',
};

export function Status({ level, children }: { readonly level: Level; readonly children: ComponentChildren }) {
  return (
    <span class={`status ${level}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[level]}
      </span>
      {children}
    </span>
  );
}

export function levelOf(state: string): Level {
  switch (state) {
    case 'ok':
    case 'done':
    case 'attached':
    case 'there':
      return 'ok';
    case 'failed':
    case 'no-identity':
    case 'missing':
    case 'UNSAFE':
      return 'failed';
    case 'unknown':
      return 'unknown';
    case 'skipped':
    case 'unchanged':
    case 'already':
      return 'quiet';
    case 'running':
      return 'busy';
    default:
      return 'note';
  }
}
