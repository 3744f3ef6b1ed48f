import { bytes, formatSize } from '../../model/size.js';
import type { DiskQuestion } from '../../session/plan/index.js';
import { type CliContext, Interrupted } from '../context.js';
import { rawStream, withoutControls } from '../views/terminal-text.js';

/** Which drive a volume is; asked on a terminal. */
export async function askSlot(
  context: CliContext,
  { node, volume, candidates }: DiskQuestion,
  taken: readonly string[],
): Promise<string> {
  const { select, isCancel } = await import('@clack/prompts');
  const { stdin: input, signal } = context;
  const message = withoutControls(`Which drive holds ${node}/${volume}?`);
  const answer = await select({
    message,
    options: candidates
      .filter(({ slot }) => !taken.includes(slot))
      .map(({ slot, file, size, holds }) => ({
        value: slot,
        label: withoutControls(`${slot}  ${file}  ${formatSize(bytes(size))}`),
        hint: withoutControls(
          holds.length > 0 ? `Talos: ${holds.join(', ')}` : 'Talos finds no volume on it',
        ),
      })),
    input,
    output: rawStream(context.stdout),
    signal,
  });
  if (isCancel(answer)) throw new Interrupted(message);
  return answer;
}
