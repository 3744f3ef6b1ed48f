import { listOf, type Obj, textOf } from '../../json.js';
import { controllerOf, type KubeObject } from '../../object.js';
import type { World } from '../world.js';
import { ciliumCommand, isCiliumCommand } from './stand-ins.js';

/** What a container does: it serves for ever, or ends by itself. */
export type Outcome =
  | { readonly kind: 'serves' }
  | {
      readonly kind: 'ends';
      /** Milliseconds after its start. */
      readonly after: number;
      readonly exitCode: number;
      readonly log: string;
      /** What it does to the cluster when it starts; done once for each start. */
      readonly begin?: () => void;
      /** What a successful run leaves in the cluster. */
      readonly effect?: () => void;
    };

const TASK_TIME = 5_000;

/**
 * Images are not run. A container of a Job ends well after a few seconds, any other serves; a command `false` or
 * `exit N` does what it says. Known tools do to the cluster what they would do.
 */
export function outcomeOf(world: World, pod: KubeObject, container: Obj, startedAt: number): Outcome {
  const words = [...listOf(container.command), ...listOf(container.args)].map(textOf);
  const exit = exitCodeOf(words);
  if (exit !== undefined) {
    return { kind: 'ends', after: 0, exitCode: exit, log: `the command ended with exit code ${exit}\n` };
  }
  if (isCiliumCommand(container, words))
    return ciliumCommand(world, words, `${pod.metadata.uid}@${startedAt}`);
  const task = controllerOf(pod)?.kind === 'Job';
  return task ? { kind: 'ends', after: TASK_TIME, exitCode: 0, log: 'done\n' } : { kind: 'serves' };
}

function exitCodeOf(words: readonly string[]): number | undefined {
  const [first = ''] = words;
  if (/(^|\/)false$/.test(first)) return 1;
  if (/(^|\/)true$/.test(first)) return 0;
  const match = /(?:^|[;&]\s*)exit (\d+)\s*$/.exec(words.at(-1) ?? '');
  return match ? Number(match[1]) : undefined;
}
