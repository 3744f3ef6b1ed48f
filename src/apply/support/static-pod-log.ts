import { redactedConfigTexts } from '../../formats/redact/redact-talos.js';
import { redactText } from '../../formats/redact/redact-text.js';
import { attempt } from '../../observe/attempt.js';
import type { StepContext } from './context.js';
import { needMachines } from './machine-wait.js';
import { objectName, readNodeObject } from './node-object.js';

const LINES = 3;

/** What a static pod last wrote, for an error; nothing where no API server answers. A static pod carries its node's name. */
export async function staticPodLog(context: StepContext, node: string, pod: string): Promise<string> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return '';
  const log = await attempt(async () => {
    const name = objectName(node, await readNodeObject(kubernetes, node));
    return kubernetes.logs(`${pod}-${name}`, 'kube-system', { container: pod, tailLines: LINES });
  });
  // A program that does not start repeats the flags it was given.
  const hidden = redactedConfigTexts(needMachines(context).configOf(node));
  const words = log.known ? redactText(log.value, hidden).trim() : '';
  return words === '' ? '' : `; it last wrote: ${words}`;
}
