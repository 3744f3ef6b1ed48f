import { PODS } from '../../../clients/kubernetes/resources.js';
import { RESOURCES } from '../../../clients/talos/resources.js';
import { machineConfigHash } from '../../../design/machine-config/meaning.js';
import { attempt } from '../../../observe/attempt.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { checkIdentity } from '../../support/machine-identity.js';
import { adminOf, notReadyBecause, plannedConfig, readinessOf, until } from '../../support/machine-wait.js';
import { objectName, readNodeObject } from '../../support/node-object.js';
import { StepError } from '../../support/read-vm.js';

const ROLLOUT_TIMEOUT_MS = 10 * 60_000;

const STATIC_PODS: Partial<Record<StepOf<'upgrade-component'>['component'], string>> = {
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
};

export const upgradeComponent: Executor<'upgrade-component'> = async (step, context) => {
  const talos = adminOf(context, step.ip);
  await checkIdentity(talos, step);
  const config = (await talos.get(RESOURCES.machineConfig, 'v1alpha1'))?.spec;
  const hash = typeof config === 'string' ? machineConfigHash(config) : '';
  if (hash !== step.configHash) {
    if (hash !== step.fromHash) {
      throw new StepError('apply.changed', `the config of ${step.node} is not the one the plan found`, {
        advice: 'it was changed meanwhile; run plan again',
      });
    }
    await talos.applyConfiguration(plannedConfig(context, step), { mode: 'no-reboot' });
  }
  await awaitVersion(step, context);
  return hash === step.configHash ? ALREADY : DONE;
};

/** By what runs, not by what was asked for. */
async function awaitVersion(step: StepOf<'upgrade-component'>, context: StepContext): Promise<void> {
  await until(
    context,
    {
      timeoutMs: ROLLOUT_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.not-upgraded', `${step.title}: ${last}`, {
          advice: 'the parts after it were left alone; see `oxherd status`, then run apply again',
        }),
    },
    async (waiting) => {
      const why =
        (await runsOther(step, context)) ?? notReadyBecause(await readinessOf(context, step.ip, step.role));
      if (why === undefined) return true;
      waiting(why);
      return undefined;
    },
  );
}

async function runsOther(
  step: StepOf<'upgrade-component'>,
  context: StepContext,
): Promise<string | undefined> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return undefined;
  if (step.component === 'kubelet') {
    const node = await attempt(() => readNodeObject(kubernetes, step.node ?? ''));
    if (!node.known) return node.why;
    const version = node.value?.status?.nodeInfo?.kubeletVersion;
    return version === step.to ? undefined : `its kubelet is ${version ?? 'not known'}`;
  }
  const name = STATIC_PODS[step.component];
  if (name === undefined) return undefined;
  // A static pod carries the name of its node.
  const pod = await attempt(async () => {
    const node = objectName(step.node ?? '', await readNodeObject(kubernetes, step.node ?? ''));
    return kubernetes.get(PODS, `${name}-${node}`, 'kube-system');
  });
  if (!pod.known) return pod.why;
  const image = pod.value?.spec?.containers?.[0]?.image ?? '';
  const ready = pod.value?.status?.conditions?.some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
  if (!image.endsWith(`:${step.to}`)) return `its pod runs ${image || 'nothing'}`;
  return ready ? undefined : `${name} is not ready`;
}
