/**
 * A config that restarts a component goes out in Talos's try mode: Talos takes it back by itself after five minutes
 * unless it is made permanent, and that happens once the node is healthy with it. A wrong flag, MTU or gateway costs one
 * node for minutes, and the roll stops there.
 */
import { isTalosError } from '../../clients/talos/errors.js';
import { OxherdError } from '../../model/error.js';
import type { StepOf } from '../../plan/steps.js';
import {
  type Baseline,
  baselineOf,
  type CheckedNode,
  type Unhealthy,
  unhealthyPart,
} from './component-health.js';
import { ALREADY, DONE, type StepContext, type StepOutcome } from './context.js';
import { failingServiceLog } from './failing-service-log.js';
import { type MachineConfigs, machineConfigsOf } from './machine-configs.js';
import { checkIdentity } from './machine-identity.js';
import { adminOf, notReadyBecause, plannedConfig, readinessOf, until } from './machine-wait.js';
import { pinMtus, unpinMtus } from './pinned-mtus.js';
import { StepError } from './read-vm.js';
import { staticPodLog } from './static-pod-log.js';

/** Longer than a component takes to restart; short enough to be without one. */
const TRY_SECONDS = 5 * 60;
/** Before the machine takes the config back: what is healthy later has no time left to be made permanent. */
const HEALTHY_WITHIN_MS = 4 * 60_000;
const FIRST_POLL_MS = 5_000;
const LAST_POLL_MS = 20_000;
const REVERTED_WITHIN_MS = 8 * 60_000;

/** A config for one node that restarts components of it. */
interface TriedConfig
  extends Pick<
    StepOf<'change-config'>,
    'node' | 'uuid' | 'ip' | 'configHash' | 'fromHash' | 'mode' | 'components'
  > {
  readonly restarts: NonNullable<StepOf<'change-config'>['restarts']>;
  /** What else must hold before it is made permanent; the answer is what does not. */
  readonly verify?: () => Promise<string | undefined>;
  /** What to do after it has failed; absent: correct the config. */
  readonly wayOut?: string;
}

export async function changeComponents(planned: TriedConfig, context: StepContext): Promise<StepOutcome> {
  const before = await settledConfig(planned, context);
  const inherited = before.active === planned.configHash && before.persistent !== planned.configHash;
  if (!inherited) return change(planned, before, context);
  try {
    return await change(planned, before, context);
  } catch (error) {
    if (!(error instanceof StepError && error.code === TRY_ENDED)) throw error;
    // An earlier run began that try, and its time was over: this run has one of its own.
    context.progress('the try of an earlier run has ended; starting a new one');
    return change(planned, await settledConfig(planned, context), context);
  }
}

async function change(
  planned: TriedConfig,
  before: MachineConfigs,
  context: StepContext,
): Promise<StepOutcome> {
  const node: CheckedNode = { ...planned, ...planned.restarts };
  // Back to what is on its disk: nothing to try.
  const step: TriedConfig =
    before.persistent === planned.configHash ? { ...planned, mode: 'no-reboot' } : planned;
  const trying = before.active === step.configHash && before.persistent !== step.configHash;
  if (!trying && before.active === step.configHash) return ALREADY;
  if (!trying && !mayBeSent(step, before)) throw changedMeanwhile(step);
  const config = plannedConfig(context, step);
  await requireOthers(step, context);
  for (const { image, kubelet } of step.restarts.images)
    await adminOf(context, step.ip).pullImage(image, kubelet ? 'kubelet' : 'pod');
  const baseline = await baselineOf(node, context);
  const judged = async (sent: TriedConfig): Promise<StepOutcome> => {
    const warnings = trying ? [] : await send(sent, context, config);
    const unhealthy = await awaitHealthy(sent, node, baseline, context, config);
    if (unhealthy) throw await takenBack(sent, context, unhealthy);
    if (sent.mode === 'try') await makePermanent(sent, context, config);
    return { ...DONE, warnings };
  };
  const pinned =
    step.mode === 'try' && !trying && step.restarts.components.includes('network')
      ? await pinMtus(step, context, config)
      : undefined;
  if (!pinned) return judged(step);
  try {
    return await judged({ ...step, fromHash: pinned.hash });
  } catch (error) {
    await unpinMtus(step, context, pinned);
    throw error;
  }
}

/** What the plan found, or a config that goes back to what is on the disk. */
function mayBeSent(step: TriedConfig, { active, persistent }: MachineConfigs): boolean {
  return active === step.fromHash || persistent === step.configHash;
}

/** A config that someone else tries goes back by itself: only then it is known what the machine has. */
function settledConfig(step: TriedConfig, context: StepContext): Promise<MachineConfigs> {
  return until(
    context,
    { timeoutMs: REVERTED_WITHIN_MS, timeout: () => changedMeanwhile(step) },
    async (waiting) => {
      await checkIdentity(adminOf(context, step.ip), step);
      const configs = await machineConfigsOf(context, step.ip);
      const settled = configs.active === configs.persistent || configs.active === step.configHash;
      if (settled || configs.persistent === step.configHash) return configs;
      waiting('another config is being tried on it; waiting until Talos reverts it');
      return undefined;
    },
  );
}

/** Two API servers less at a time could be all of them. */
async function requireOthers(step: TriedConfig, context: StepContext): Promise<void> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes || step.restarts.role !== 'controlplane') return;
  // What does not answer has nothing to lose.
  if (!(await kubernetes.ready(step.ip))) return;
  const ready = await Promise.all(step.restarts.others.map(({ ip }) => kubernetes.ready(ip)));
  const silent = step.restarts.others.filter((_, index) => !ready[index]).map(({ name }) => name);
  if (silent.length === 0 || ready.length === 0) return;
  throw new StepError(
    'guard.components',
    `refusing to restart ${step.restarts.components.join(', ')} on ${step.node}: no API server is ready on ${silent.join(', ')}`,
    { advice: 'repair the other control planes first; see `oxherd status`' },
  );
}

/** Once: a second try would go back to the first one, not to what the machine had. */
async function send(step: TriedConfig, context: StepContext, config: string): Promise<string[]> {
  const talos = adminOf(context, step.ip);
  // Images were pulled since the config was last read, or this process was suspended.
  if (!mayBeSent(step, await machineConfigsOf(context, step.ip))) throw changedMeanwhile(step);
  try {
    const { warnings } = await talos.applyConfiguration(
      config,
      step.mode === 'try' ? { mode: 'try', tryFor: TRY_SECONDS } : { mode: 'no-reboot' },
    );
    return [...warnings];
  } catch (error) {
    if (!isTalosError(error, 'talos.unreachable', 'talos.timeout')) throw error;
    // The answer was lost, with the link that it changes maybe: what the machine has is read, not guessed.
    const { active } = await until(
      context,
      { timeoutMs: REVERTED_WITHIN_MS, timeout: () => OxherdError.from(error) },
      () => machineConfigsOf(context, step.ip),
    );
    if (active === step.configHash) return [];
    throw new StepError(
      'apply.answer-lost',
      `${step.node} did not keep the new config: its answer was lost (${error.reason})`,
      { advice: 'the other nodes were left alone; run apply again' },
    );
  }
}

async function awaitHealthy(
  step: TriedConfig,
  node: CheckedNode,
  baseline: Baseline,
  context: StepContext,
  config: string,
): Promise<Unhealthy | undefined> {
  const deadline = context.clock.elapsed() + HEALTHY_WITHIN_MS;
  let told = '';
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LAST_POLL_MS)) {
    const unhealthy = await judge(step, node, baseline, context, config);
    if (!unhealthy || context.clock.elapsed() >= deadline) return unhealthy;
    const words = `${unhealthy.part}: ${unhealthy.why}`;
    if (words !== told) context.progress(words);
    told = words;
    await context.clock.sleep(pause, context.signal);
  }
}

async function judge(
  { verify }: TriedConfig,
  node: CheckedNode,
  baseline: Baseline,
  context: StepContext,
  config: string,
): Promise<Unhealthy | undefined> {
  try {
    const unhealthy = await unhealthyPart(node, baseline, context, config);
    if (unhealthy) return unhealthy;
    const why = await verify?.();
    return why === undefined ? undefined : { part: node.components[0] ?? 'network', why };
  } catch (error) {
    return { part: node.components.at(-1) ?? 'network', why: OxherdError.from(error).message };
  }
}

/**
 * With mode no-reboot the machine keeps it and forgets that it wanted to take it back. The verdict is about the config that
 * ran while the node was checked: after a suspension of this process Talos may have reverted it, and the node was healthy
 * with the old one.
 */
async function makePermanent(step: TriedConfig, context: StepContext, config: string): Promise<void> {
  const talos = adminOf(context, step.ip);
  const { active } = await until(context, { timeoutMs: 60_000, timeout: (last) => notKept(step, last) }, () =>
    machineConfigsOf(context, step.ip),
  );
  if (active !== step.configHash) throw tryEnded(step);
  try {
    await talos.applyConfiguration(config, { mode: 'no-reboot' });
  } catch (error) {
    if (!isTalosError(error, 'talos.unreachable', 'talos.timeout')) throw error;
  }
  const { persistent } = await until(
    context,
    { timeoutMs: 60_000, timeout: (last) => notKept(step, last) },
    () => machineConfigsOf(context, step.ip),
  );
  if (persistent !== step.configHash) throw notKept(step, 'another one is on its disk');
}

/** Stops the roll: Talos brings the old config back, and the node with it. */
async function takenBack(
  step: TriedConfig,
  context: StepContext,
  { part, why }: Unhealthy,
): Promise<OxherdError> {
  const what = `${part} of ${step.node} is not healthy with the new config: ${why}${await lastWords(step, part, context)}`;
  const { wayOut = 'correct the config and run apply again' } = step;
  const advice = `${wayOut}; the other nodes were left alone`;
  if (step.mode !== 'try') return new StepError('apply.component', what, { advice });
  context.progress(`${what}; waiting until Talos reverts the config`);
  try {
    await until(
      context,
      { timeoutMs: REVERTED_WITHIN_MS, timeout: (last) => new StepError('apply.not-reverted', last) },
      async (waiting) => {
        const { active } = await machineConfigsOf(context, step.ip);
        const why =
          active === step.fromHash
            ? notReadyBecause(await readinessOf(context, step.ip, step.restarts.role))
            : 'it still runs with the new config';
        if (why === undefined) return true;
        waiting(why);
        return undefined;
      },
    );
  } catch (error) {
    return new StepError(
      'apply.component',
      `${what}; it was not reverted yet: ${OxherdError.from(error).message}`,
      {
        advice: `look at the console of ${step.node}; ${advice}`,
      },
    );
  }
  return new StepError('apply.component', `${what}; Talos has reverted it`, { advice });
}

/** What a program that does not start has printed: most often it names the flag. */
function lastWords({ node = '', ip, restarts }: TriedConfig, part: Unhealthy['part'], context: StepContext) {
  if (part === 'kubelet') return failingServiceLog(context, { node, ip, role: restarts.role });
  return part === 'network' || part === 'cri' ? '' : staticPodLog(context, node, part);
}

function changedMeanwhile(step: TriedConfig): StepError {
  return new StepError('apply.changed', `the config of ${step.node} is not the one the plan found`, {
    advice: 'it was changed meanwhile; run plan again',
  });
}

const TRY_ENDED = 'apply.try-ended';

function tryEnded(step: TriedConfig): StepError {
  return new StepError(
    TRY_ENDED,
    `${step.node} runs with another config again: the try ended before oxherd had found it healthy`,
    { advice: 'run apply again; this happens after the computer was suspended, or if the machine rebooted' },
  );
}

function notKept(step: TriedConfig, why: string): StepError {
  return new StepError(
    'apply.not-kept',
    `${step.node} is healthy with the new config, but did not keep it: ${why}`,
    {
      advice: 'run apply again',
    },
  );
}
