import { at, listOf, type Obj, textOf } from '../../json.js';
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
 * Images are not run. A container of a Job ends well after a few seconds, as one does that is not started again and has a
 * command that comes to an end (the tests of a chart, `kubectl run --restart=Never`); any other serves. A command `false`,
 * `exit N` or `sleep N` does what it says. Known tools do to the cluster what they would do.
 */
export function outcomeOf(world: World, pod: KubeObject, container: Obj, startedAt: number): Outcome {
  const why = failingStaticPod(world, pod, textOf(container.name));
  if (why !== undefined) return { kind: 'ends', after: 0, exitCode: 1, log: `Error: ${why}\n` };
  const words = [...listOf(container.command), ...listOf(container.args)].map(textOf);
  const exit = exitCodeOf(words);
  if (exit !== undefined) {
    return { kind: 'ends', after: 0, exitCode: exit, log: `the command ended with exit code ${exit}\n` };
  }
  if (isCiliumCommand(container, words))
    return ciliumCommand(world, words, `${pod.metadata.uid}@${startedAt}`);
  const job = controllerOf(pod)?.kind === 'Job';
  const once = textOf(at(pod, 'spec', 'restartPolicy')) !== 'Always' && words.length > 0;
  const after = sleepOf(words) ?? TASK_TIME;
  if (!job && (!once || goesOn(words) || after === Number.POSITIVE_INFINITY)) return { kind: 'serves' };
  return { kind: 'ends', after: job ? TASK_TIME : after, exitCode: 0, log: 'done\n' };
}

/**
 * A program of the control plane with a flag that its version does not know prints the error and ends with exit code 1
 * (cobra's `RunE` in cmd/kube-apiserver); the kubelet starts it again and again.
 */
function failingStaticPod(world: World, pod: KubeObject, container: string): string | undefined {
  if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] === undefined) return undefined;
  return world.machines.get(textOf(at(pod, 'spec', 'nodeName')))?.description.failing?.[container];
}

/** Milliseconds of a `sleep`; the last word of a shell's script counts as well. */
function sleepOf(words: readonly string[]): number | undefined {
  const match = /(?:^|[\s/;&])sleep\s+(\d+(?:\.\d+)?|infinity|inf)([smhd]?)\s*$/.exec(words.join(' '));
  if (!match) return undefined;
  const units: Record<string, number> = { m: 60, h: 3600, d: 86_400 };
  const seconds = /^inf/.test(match[1] ?? '') ? Number.POSITIVE_INFINITY : Number(match[1]);
  return seconds * (units[match[2] ?? ''] ?? 1) * 1000;
}

/** A shell that waits for input, and scripts that wait for ever. */
function goesOn(words: readonly string[]): boolean {
  const text = words.join(' ');
  return (
    /(^|\/)(ba|a|z|da)?sh$/.test(text) ||
    /\btail -[fF]|\bwhile (true|:)|\bpause$|(^|\/)(cat|top|yes)$/.test(text)
  );
}

function exitCodeOf(words: readonly string[]): number | undefined {
  const [first = ''] = words;
  if (/(^|\/)false$/.test(first)) return 1;
  if (/(^|\/)true$/.test(first)) return 0;
  const match = /(?:^|[;&]\s*)exit (\d+)\s*$/.exec(words.at(-1) ?? '');
  return match ? Number(match[1]) : undefined;
}
