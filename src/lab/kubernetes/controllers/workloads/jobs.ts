import { at, listOf, numberOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { counts, isActive, isReady, podFrom } from '../pods/pods.js';
import { type Controller, isTrue, ownerReference, soonest, type World, withCondition } from '../world.js';

const JOBS = 'jobs.batch';

/** Jobs: pods until enough have succeeded, or too many failed. */
export const jobController: Controller = {
  reconcile(world) {
    return soonest(...world.list(JOBS).map((job) => reconcile(world, job)));
  },
};

function reconcile(world: World, job: KubeObject): number | undefined {
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  if (isTrue(job, 'Complete') || isTrue(job, 'Failed')) return cleanUp(world, job);
  const spec = objOf(job.spec);
  const pods = world.controlled('pods', job);
  const phase = (pod: KubeObject) => at(pod, 'status', 'phase');
  const succeeded = pods.filter((pod) => phase(pod) === 'Succeeded').length;
  const failed = pods.filter((pod) => phase(pod) === 'Failed').length;
  const running = pods.filter(isActive);
  const wanted = numberOf(spec.completions, 1);
  const tries = failed + pods.reduce((sum, pod) => sum + restarts(pod), 0);
  const spent = tries > numberOf(spec.backoffLimit, 6);
  const enough = succeeded >= wanted;
  const due = retryAt(pods);
  if (!enough && !spent && spec.suspend !== true && world.now >= due) {
    const missing = Math.min(numberOf(spec.parallelism, 1), wanted - succeeded) - running.length;
    for (let count = 0; count < missing; count += 1) createPod(world, job);
  }
  if (spent || enough) for (const pod of running) world.remove('pods', pod);
  const latest = world.controlled('pods', job).filter(isActive);
  report(
    world,
    job,
    { succeeded, failed, active: enough || spent ? 0 : latest.length },
    latest,
    enough,
    spent,
  );
  return enough || spent || world.now >= due ? undefined : due;
}

/** After a failure the next try waits: ten seconds, then twice as long each time, six minutes at most. */
function retryAt(pods: readonly KubeObject[]): number {
  const failures = pods.filter((pod) => at(pod, 'status', 'phase') === 'Failed');
  const ends = failures.flatMap((pod) =>
    listOf(at(pod, 'status', 'containerStatuses')).map((status) =>
      Date.parse(textOf(at(status, 'state', 'terminated', 'finishedAt'))),
    ),
  );
  const last = Math.max(0, ...ends.filter((time) => !Number.isNaN(time)));
  return failures.length === 0 ? 0 : last + Math.min(360_000, 10_000 * 2 ** (failures.length - 1));
}

function restarts(pod: KubeObject): number {
  return listOf(at(pod, 'status', 'containerStatuses')).reduce<number>((sum, status) => {
    return sum + numberOf(objOf(status).restartCount);
  }, 0);
}

function createPod(world: World, job: KubeObject): void {
  const owner = ownerReference(job);
  const body = podFrom(objOf(at(job, 'spec', 'template')), owner, { generateName: `${job.metadata.name}-` });
  const pod = world.create('pods', job.metadata.namespace, body);
  if (pod)
    world.event(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`, 'job-controller');
}

function report(
  world: World,
  job: KubeObject,
  numbers: Record<string, number>,
  active: readonly KubeObject[],
  enough: boolean,
  spent: boolean,
): void {
  const status: Obj = {
    ...counts(numbers),
    startTime: textOf(at(job, 'status', 'startTime')) || world.time,
    ready: active.filter(isReady).length,
    terminating: 0,
    uncountedTerminatedPods: {},
  };
  let conditions = listOf(at(job, 'status', 'conditions')).map(objOf);
  const add = (type: string, reason: string, message: string) => {
    const condition = { type, status: 'True', lastProbeTime: world.time, reason, message };
    conditions = withCondition(conditions, condition, world.time);
  };
  if (enough) {
    const message = 'Reached expected number of succeeded pods';
    add('SuccessCriteriaMet', 'CompletionsReached', message);
    add('Complete', 'CompletionsReached', message);
    status.completionTime = world.time;
  } else if (spent) {
    const message = 'Job has reached the specified backoff limit';
    add('FailureTarget', 'BackoffLimitExceeded', message);
    add('Failed', 'BackoffLimitExceeded', message);
  }
  world.setStatus(JOBS, job, { ...status, ...(conditions.length > 0 ? { conditions } : {}) });
  if (enough) world.event(job, 'Normal', 'Completed', 'Job completed', 'job-controller');
  if (spent) {
    world.event(
      job,
      'Warning',
      'BackoffLimitExceeded',
      'Job has reached the specified backoff limit',
      'job-controller',
    );
  }
}

function cleanUp(world: World, job: KubeObject): number | undefined {
  const seconds = at(job, 'spec', 'ttlSecondsAfterFinished');
  if (typeof seconds !== 'number') return undefined;
  const ended = listOf(at(job, 'status', 'conditions')).map((item) =>
    Date.parse(textOf(objOf(item).lastTransitionTime)),
  );
  const due = Math.max(...ended) + seconds * 1000;
  if (due > world.now) return due;
  world.remove(JOBS, job);
  return undefined;
}
