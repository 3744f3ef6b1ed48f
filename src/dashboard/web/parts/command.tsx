/** What does the same in a terminal: every action shows it. */
import { useSignal } from '@preact/signals';

const SHOWN_MS = 1_500;

export function Command({
  line,
  label = 'In a terminal',
}: {
  readonly line: string;
  readonly label?: string;
}) {
  const copied = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(line).catch(() => undefined);
    copied.value = true;
    setTimeout(() => {
      copied.value = false;
    }, SHOWN_MS);
  };
  return (
    <p class="command">
      <span class="soft">{label}</span>
      <code>{line}</code>
      <button type="button" class="small" onClick={copy} aria-label={`Copy: ${line}`}>
        <span aria-live="polite">{copied.value ? 'copied' : 'copy'}</span>
      </button>
    </p>
  );
}
