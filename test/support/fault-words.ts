/** Whether a run that met a fault says the truth about it. */
import type { FaultName } from '../../src/lab/faults.js';
import type { RunEvent } from '../../src/model/events.js';
import type { StepPlace } from '../../src/session/rehearse/chaos/occasions.js';
import type { CliResult } from './cli.js';

/** What a person must be able to read in the message of a step that a fault has stopped; `null`: it stops none. */
const EFFECT: Record<FaultName, RegExp | null> = {
  'api-error': /lab fault 'api-error'/,
  'api-timeout': /no answer|not answer|timed out|within/i,
  'drop-before': /connection|answer/i,
  'drop-after': /connection|answer/i,
  'lock-timeout': /lock/i,
  'task-fails': /lab fault 'task-fails'/,
  'task-warns': null,
  'task-hangs': /has not ended/,
  'host-down': /host pve\d does not answer|cannot connect|connection broke/i,
  'no-quorum': /quorum/i,
  'ha-maintenance': null,
  'ha-manager-down': null,
  'statd-down': null,
  'expected-one': null,
  partition: /host pve\d does not answer|cannot connect|connection broke|quorum/i,
  'user-race': /user name not set/,
  'storage-full': /space|full/i,
  'storage-fills': /space|copy failed/i,
  'machine-stuck': /come back|return|answer/i,
  'machine-falls-back': /booted .* again instead of/,
  'download-fails': /refused|reach|download|pull|not found/i,
  'call-drop-before': /:50000: /,
  'call-drop-after': /:50000: /,
  'kube-error': /etcdserver: leader changed|answers 500/,
  'drain-held': /budget|evict/i,
  'etcd-slow': /learner|caught up|catch up|behind/i,
  'vip-lost': /answer|shared address/i,
  'time-skew': /time|clock/i,
  'gateway-moved': null,
  'disk-slow': /learner|caught up|catch up|behind|alarm/i,
  'clock-jump': /time|clock/i,
  'clock-behind': /time|clock/i,
};

export function falseWords(
  fault: FaultName,
  at: StepPlace,
  { exit, stdout, stderr }: CliResult,
  events: readonly RunEvent[],
): string[] {
  const failed = events.flatMap((event) => (event.type === 'step-failed' ? [event] : []));
  if (exit === 0) return failed.length === 0 ? [] : ['exit 0 although a step failed'];
  if (exit !== 1) return [`exit ${exit}`];
  if (failed.length === 0) return [`exit 1 and no step that failed:\n${lastOf(stdout)}${stderr}`];
  const effect = EFFECT[fault];
  const wholeText = failed.map(({ step, error }) => `${step} ${error.message}`).join('; ');
  const named = at.node === '' || [at.node, String(at.vmid)].some((name) => wholeText.includes(name));
  const unnamed = named ? [] : [`nothing that failed names ${at.node}: ${wholeText}`];
  const each = failed.flatMap(({ step, error }) => {
    const started = events.find((event) => event.type === 'step-started' && event.step === step);
    const title = started?.type === 'step-started' ? `${started.node} ${started.title}` : step;
    const problems: string[] = [];
    if (effect === null) problems.push(`${title} failed although the fault stops nothing: ${error.message}`);
    else if (!effect.test(`${error.message} ${error.advice}`))
      problems.push(`${title} does not say what went wrong: ${error.message}`);
    if (!error.advice) problems.push(`${title} says nothing about what to do: ${error.message}`);
    return problems;
  });
  return [...unnamed, ...each];
}

function lastOf(text: string): string {
  return text.split('\n').slice(-4).join('\n');
}
