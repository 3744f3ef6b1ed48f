import { at, listOf, numberOf, type Obj, objOf, sameJson, textOf } from '../../json.js';
import { type KubeObject, timeText } from '../../object.js';
import { volumesReady } from '../volumes/volume-attachment.js';
import { type Controller, soonest, type World } from '../world.js';
import { type Outcome, outcomeOf } from './containers.js';
import { address, conditionsOf, hostAddress } from './pod-status.js';
import { isOver } from './pods.js';
import { layToRest, rests } from './resting-pods.js';

/** Pulling the image and starting: until the pod is ready. */
const STARTS_AFTER = 2_000;
/** What a container needs to end when it is told to. */
const STOPS_AFTER = 1_000;
const KUBELET = 'kubelet';

/** The kubelets' work on the pods of their nodes: start them, end them, start them again after a reboot. */
export function podLifecycleController(runs: (world: World, node: string) => boolean): Controller {
  return {
    reconcile(world) {
      let next: number | undefined;
      for (const pod of world.list('pods')) {
        if (rests(world, pod)) continue;
        const node = textOf(at(pod, 'spec', 'nodeName'));
        if (node !== '' && runs(world, node)) next = soonest(next, advance(world, pod));
      }
      return next;
    },
  };
}

function advance(world: World, pod: KubeObject): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return stop(world, pod);
  if (isOver(pod)) return undefined;
  const started = Date.parse(textOf(at(pod, 'status', 'startTime')));
  if (Number.isNaN(started)) {
    accept(world, pod);
    return world.now + STARTS_AFTER;
  }
  const machine = world.machines.get(textOf(at(pod, 'spec', 'nodeName')));
  const since = Math.max(started, machine?.since ?? 0);
  if (world.now < since + STARTS_AFTER) {
    if (wasRunning(pod) && since > started) notReady(world, pod);
    return since + STARTS_AFTER;
  }
  if (!volumesReady(world, pod)) return undefined;
  return run(world, pod, since + STARTS_AFTER);
}

function wasRunning(pod: KubeObject): boolean {
  return at(pod, 'status', 'phase') === 'Running';
}

/** Between deletion and the end of its containers. */
function stop(world: World, pod: KubeObject): number | undefined {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = pod.metadata;
  const asked = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  const due = asked + Math.min(STOPS_AFTER, deletionGracePeriodSeconds * 1000);
  if (world.now < due) return due;
  world.logs.delete(textOf(pod.metadata.uid));
  world.remove('pods', pod, { gracePeriodSeconds: 0 });
  return undefined;
}

function accept(world: World, pod: KubeObject): void {
  const node = world.find('nodes', undefined, textOf(at(pod, 'spec', 'nodeName')));
  const host = hostAddress(node);
  const waiting = (container: Obj) => ({
    name: container.name,
    image: container.image,
    imageID: '',
    ready: false,
    restartCount: 0,
    started: false,
    state: { waiting: { reason: 'ContainerCreating' } },
  });
  const containers = listOf(at(pod, 'spec', 'containers')).map(objOf);
  world.setStatus(
    'pods',
    pod,
    {
      ...objOf(pod.status),
      phase: 'Pending',
      startTime: world.time,
      ...(host === '' ? {} : { hostIP: host, hostIPs: [{ ip: host }] }),
      conditions: conditionsOf(pod, world.time, false),
      containerStatuses: containers.map(waiting),
    },
    KUBELET,
  );
}

function notReady(world: World, pod: KubeObject): void {
  const conditions = conditionsOf(pod, world.time, false);
  const statuses = listOf(at(pod, 'status', 'containerStatuses')).map((status) => ({
    ...objOf(status),
    ready: false,
  }));
  world.setStatus('pods', pod, { ...objOf(pod.status), conditions, containerStatuses: statuses }, KUBELET);
}

/** Pods that run as they should since this time, on this address: there is nothing to do for them. */
const atRest = new WeakMap<KubeObject, { readonly startedAt: number; readonly ip: string }>();

/** Runs the containers, or lets them end as their command says. */
function run(world: World, pod: KubeObject, startedAt: number): number | undefined {
  const ip = address(world, pod);
  const rest = atRest.get(pod);
  if (rest?.startedAt === startedAt && rest.ip === ip) {
    layToRest(world, pod);
    return undefined;
  }
  const containers = listOf(at(pod, 'spec', 'containers')).map(objOf);
  const outcomes = containers.map((container) => outcomeOf(world, pod, container, startedAt));
  const finishing = outcomes.filter((outcome) => outcome.kind === 'ends');
  const always = at(pod, 'spec', 'restartPolicy') === 'Always';
  const end = startedAt + Math.max(0, ...finishing.map((outcome) => outcome.after));
  if (finishing.length > 0 && world.now >= end) {
    const failed = finishing.some((outcome) => outcome.exitCode !== 0);
    if (always || (failed && at(pod, 'spec', 'restartPolicy') === 'OnFailure')) {
      crashLoop(world, pod, containers, outcomes, always ? 5 : 7);
      return undefined;
    }
    finish(world, pod, containers, outcomes, end);
    return undefined;
  }
  for (const outcome of finishing) outcome.begin?.();
  const rebooted = listOf(at(pod, 'status', 'containerStatuses'))
    .map((status) => Date.parse(textOf(at(status, 'state', 'running', 'startedAt'))))
    .some((time) => !Number.isNaN(time) && time < startedAt - STARTS_AFTER);
  const statuses = containers.map((container) => {
    const old = listOf(at(pod, 'status', 'containerStatuses'))
      .map(objOf)
      .find((status) => status.name === container.name);
    const running = objOf(objOf(old?.state).running).startedAt;
    const count = numberOf(old?.restartCount) + (rebooted ? 1 : 0);
    return {
      name: container.name,
      image: container.image,
      imageID: `lab/${textOf(container.image)}`,
      containerID: `containerd://${textOf(pod.metadata.uid).replaceAll('-', '')}`,
      ready: true,
      started: true,
      restartCount: count,
      state: { running: { startedAt: running !== undefined && !rebooted ? running : timeText(world.now) } },
      lastState: objOf(old?.lastState),
    };
  });
  const status: Obj = {
    ...objOf(pod.status),
    phase: 'Running',
    podIP: ip,
    podIPs: [{ ip }],
    conditions: conditionsOf(pod, world.time, true),
    containerStatuses: statuses,
  };
  if (!sameJson(pod.status, status)) world.setStatus('pods', pod, status, KUBELET);
  else if (finishing.length === 0) atRest.set(pod, { startedAt, ip });
  return finishing.length > 0 ? end : undefined;
}

function finish(
  world: World,
  pod: KubeObject,
  containers: readonly Obj[],
  outcomes: readonly Outcome[],
  end: number,
): void {
  const failed = outcomes.some((outcome) => outcome.kind === 'ends' && outcome.exitCode !== 0);
  const log = outcomes.map((outcome) => (outcome.kind === 'ends' ? outcome.log : '')).join('');
  world.logs.put(textOf(pod.metadata.uid), log);
  const statuses = containers.map((container, index) => {
    const outcome = outcomes[index];
    const exitCode = outcome?.kind === 'ends' ? outcome.exitCode : 0;
    return {
      name: container.name,
      image: container.image,
      imageID: `lab/${textOf(container.image)}`,
      ready: false,
      started: false,
      restartCount: 0,
      state: {
        terminated: {
          exitCode,
          reason: exitCode === 0 ? 'Completed' : 'Error',
          startedAt: textOf(at(pod, 'status', 'startTime')),
          finishedAt: timeText(end),
        },
      },
      lastState: {},
    };
  });
  const reason = failed ? 'PodFailed' : 'PodCompleted';
  const conditions = conditionsOf(pod, world.time, false).map((condition) =>
    condition.type === 'Ready' || condition.type === 'ContainersReady'
      ? { ...condition, reason, message: undefined }
      : condition,
  );
  const status = {
    ...objOf(pod.status),
    phase: failed ? 'Failed' : 'Succeeded',
    conditions,
    containerStatuses: statuses,
  };
  world.setStatus('pods', pod, status, KUBELET);
  for (const outcome of outcomes) if (outcome.kind === 'ends' && outcome.exitCode === 0) outcome.effect?.();
}

/** A container that ends although it should go on; the restarts until now are told, not waited for. */
function crashLoop(
  world: World,
  pod: KubeObject,
  containers: readonly Obj[],
  outcomes: readonly Outcome[],
  restarts: number,
): void {
  const statuses = containers.map((container, index) => {
    const outcome = outcomes[index];
    const ended = outcome?.kind === 'ends';
    const old = listOf(at(pod, 'status', 'containerStatuses')).map(objOf)[index];
    const terminated = {
      exitCode: ended ? outcome.exitCode : 0,
      reason: ended && outcome.exitCode !== 0 ? 'Error' : 'Completed',
      startedAt: textOf(at(pod, 'status', 'startTime')),
      finishedAt: textOf(at(pod, 'status', 'startTime')),
    };
    const message = `back-off 5m0s restarting failed container=${textOf(container.name)} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
    return {
      name: container.name,
      image: container.image,
      imageID: `lab/${textOf(container.image)}`,
      ready: !ended,
      started: !ended,
      restartCount: ended ? Math.max(restarts, numberOf(old?.restartCount)) : numberOf(old?.restartCount),
      state: ended ? { waiting: { reason: 'CrashLoopBackOff', message } } : objOf(old?.state),
      lastState: ended ? { terminated } : objOf(old?.lastState),
    };
  });
  const log = outcomes.map((outcome) => (outcome.kind === 'ends' ? outcome.log : '')).join('');
  if (world.logs.get(textOf(pod.metadata.uid)) !== log) world.logs.put(textOf(pod.metadata.uid), log);
  const ip = address(world, pod);
  const conditions = conditionsOf(pod, world.time, false);
  const status = {
    ...objOf(pod.status),
    phase: 'Running',
    podIP: ip,
    podIPs: [{ ip }],
    conditions,
    containerStatuses: statuses,
  };
  if (sameJson(pod.status, status)) return;
  world.setStatus('pods', pod, status, KUBELET);
  world.event(pod, 'Warning', 'BackOff', 'Back-off restarting failed container', KUBELET);
}
