/**
 * One part of Kubernetes on one machine. A static pod is tried: Talos reverts the config unless the pod is ready with its
 * new version. A kubelet cannot be tried, because it rewrites its own state: the first one of a version gets a drained
 * node, which stays cordoned if the kubelet does not start. What runs decides, never the config.
 */
import { PODS } from '../../../clients/kubernetes/resources.js';
import { attempt } from '../../../observe/attempt.js';
import { staticPodOf } from '../../../observe/observed-components.js';
import { isNodeReady } from '../../../observe/readiness.js';
import type { StepOf } from '../../../plan/steps.js';
import { awaitGates } from '../../guard/gates.js';
import { awaitTurn, endTurn } from '../../guard/guard.js';
import { ALREADY, DONE, type Executor, type StepContext, type StepOutcome } from '../../support/context.js';
import { drainNode, uncordonWhenReady } from '../../support/drain-node.js';
import { failingServiceLog } from '../../support/failing-service-log.js';
import { machineConfigsOf } from '../../support/machine-configs.js';
import { checkIdentity } from '../../support/machine-identity.js';
import { adminOf, notReadyBecause, plannedConfig, readinessOf, until } from '../../support/machine-wait.js';
import { objectName, readNodeObject } from '../../support/node-object.js';
import { StepError } from '../../support/read-vm.js';
import { staticPodLog } from '../../support/static-pod-log.js';
import { changeComponents } from '../../support/try-config.js';

type Upgrade = StepOf<'upgrade-component'>;

const ROLLOUT_TIMEOUT_MS = 10 * 60_000;

export const upgradeComponent: Executor<'upgrade-component'> = async (step, context) => {
  const pod = staticPodOf(step.component);
  if (pod === undefined || step.fromHash === step.configHash) return upgradeInPlace(step, context);
  const outcome = await changeComponents(
    {
      ...step,
      mode: 'try',
      restarts: { components: [pod], role: step.role, others: step.others, images: [] },
      verify: () => runsOther(step, context),
      wayOut: wayOut(step),
    },
    context,
  );
  // The config was there before this step: an earlier run was cut off before it had looked.
  if (outcome === ALREADY) await awaitVersion(step, context);
  return outcome;
};

/** Kubelets, the proxy, and a part whose config is there already. */
async function upgradeInPlace(step: Upgrade, context: StepContext): Promise<StepOutcome> {
  const talos = adminOf(context, step.ip);
  await checkIdentity(talos, step);
  const { active } = await machineConfigsOf(context, step.ip);
  const isThere = active === step.configHash;
  if (!isThere && active !== step.fromHash) {
    throw new StepError('apply.changed', `the config of ${step.node} is not the one the plan found`, {
      advice: 'it was changed meanwhile; run plan again',
    });
  }
  const { drained, ...going } = step;
  const turn = drained && {
    ...going,
    ...drained,
    kind: 'begin-disruption' as const,
    // Its etcd member, if it is one, is no part of this.
    role: 'worker' as const,
  };
  if (turn) await awaitTurn({ kind: 'roll', step: turn }, context);
  const warnings = turn ? await drainNode(turn, context) : [];
  if (!isThere) await talos.applyConfiguration(plannedConfig(context, step), { mode: 'no-reboot' });
  await awaitVersion(step, context);
  if (turn) {
    await uncordonWhenReady(step.node ?? '', context);
    endTurn(context, step.node);
    const kubernetes = context.kubernetes?.client;
    if (kubernetes) await awaitGates(turn.gates, `${step.node} is back`, context, kubernetes);
  }
  return isThere && !turn ? ALREADY : { ...DONE, warnings };
}

/** By what runs, not by what was asked for. */
async function awaitVersion(step: Upgrade, context: StepContext): Promise<void> {
  await until(
    context,
    { timeoutMs: ROLLOUT_TIMEOUT_MS, timeout: (last) => notUpgraded(step, context, last) },
    async (waiting) => {
      const why =
        (await runsOther(step, context)) ?? notReadyBecause(await readinessOf(context, step.ip, step.role));
      if (why === undefined) return true;
      waiting(why);
      return undefined;
    },
  );
}

async function notUpgraded(step: Upgrade, context: StepContext, last: string): Promise<StepError> {
  const pod = staticPodOf(step.component);
  const log = await (pod ? staticPodLog(context, step.node ?? '', pod) : failingServiceLog(context, step));
  const cordoned = step.drained?.drain ? `${step.node} stays cordoned; ` : '';
  return new StepError('apply.component', `${step.title}: ${last}${log}`, {
    advice: `${cordoned}${wayOut(step)}; the parts after it were left alone`,
  });
}

/** Both lead on: another run with the same oxherd.yaml would fail in the same way. */
function wayOut({ from, to }: Upgrade): string {
  const before =
    from === to
      ? 'set cluster.kubernetes to the version that ran before'
      : `go back with cluster.kubernetes: ${from}`;
  return `remove from oxherd.yaml what Kubernetes ${to} does not accept, or ${before}; then run: oxherd apply`;
}

async function runsOther(step: Upgrade, context: StepContext): Promise<string | undefined> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return undefined;
  if (step.component === 'kubelet') {
    const node = await attempt(() => readNodeObject(kubernetes, step.node ?? ''));
    if (!node.known) return node.why;
    const version = node.value?.status?.nodeInfo?.kubeletVersion;
    if (version !== step.to) return `its kubelet is ${version ?? 'not known'}`;
    return isNodeReady(node.value) ? undefined : 'the node is not Ready';
  }
  const name = staticPodOf(step.component);
  if (name === undefined) return undefined;
  // A static pod carries the name of its node.
  const pod = await attempt(async () => {
    const node = objectName(step.node ?? '', await readNodeObject(kubernetes, step.node ?? ''));
    return kubernetes.get(PODS, `${name}-${node}`, 'kube-system');
  });
  if (!pod.known) return pod.why;
  const { spec, status } = pod.value ?? {};
  const image = spec?.containers[0]?.image ?? '';
  if (!image.endsWith(`:${step.to}`)) return `its pod runs ${image || 'nothing'}`;
  if (status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True'))
    return undefined;
  return `${name} is not ready`;
}
