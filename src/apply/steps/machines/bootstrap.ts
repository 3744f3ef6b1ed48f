import type { RunningTalos } from '../../../clients/talos/client.js';
import { isTalosError } from '../../../clients/talos/errors.js';
import { clusterTag } from '../../../formats/marks/cluster-names.js';
import { attempt } from '../../../observe/attempt.js';
import { hasEtcdData } from '../../../observe/observed-machines.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext, type StepOutcome } from '../../support/context.js';
import { adminOf, detailsOf, until } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

const BOOTSTRAP_TIMEOUT_MS = 10 * 60_000;

/** Once, and only when every control plane says that it has no etcd data: a second bootstrap is a second cluster. */
export const bootstrap: Executor<'bootstrap'> = async (step, context) => {
  const talos = adminOf(context, step.ip);
  // The answer to our own call may get lost; what is found after it is ours.
  let asked = false;
  return until<StepOutcome>(
    context,
    { timeoutMs: BOOTSTRAP_TIMEOUT_MS, timeout: (last) => failed(step, last) },
    async (waiting) => {
      if (await isRunning(context, step.controlPlanes)) {
        if (step.restore && !asked) throw notRestored(step);
        return asked ? DONE : ALREADY;
      }
      if (await hasData(context, step.controlPlanes)) {
        waiting('there is etcd data; waiting for its members');
        return undefined;
      }
      await refuseStrangers(step, context);
      try {
        await begin(step, talos, context, () => {
          asked = true;
        });
        return DONE;
      } catch (error) {
        if (!isTalosError(error, 'talos.already-exists')) throw error;
        // Our own call whose answer was lost, or data of an earlier life: its members will tell.
        waiting('it has etcd data; waiting for its members');
        return undefined;
      }
    },
  );
};

/** Empty, or with what a snapshot holds: Talos takes the file first and starts from it then (`talosctl bootstrap --recover-from`). */
async function begin(
  { restore }: StepOf<'bootstrap'>,
  talos: RunningTalos,
  { snapshots, progress }: StepContext,
  aboutTo: () => void,
): Promise<void> {
  if (restore) {
    if (!snapshots) throw new StepError('apply.no-snapshots', 'this run cannot read snapshots');
    progress('sending the snapshot');
    await talos.etcd.recover(await snapshots.read(restore.path, restore.sha256));
  }
  aboutTo();
  await talos.bootstrap(restore ? { recoverEtcd: true } : {});
}

/** VMs of this cluster that were not there, or not visible, when the plan was made. */
async function refuseStrangers(
  { machines }: StepOf<'bootstrap'>,
  { client, cluster }: StepContext,
): Promise<void> {
  const tag = clusterTag(cluster);
  const strangers = (await client.vms()).filter(
    ({ vmid, tags }) => tags.includes(tag) && !machines.includes(vmid),
  );
  if (strangers.length === 0) return;
  const names = strangers.map(({ vmid, name }) => `VM ${vmid} (${name})`).join(', ');
  throw new StepError('apply.etcd-strangers', `etcd was not bootstrapped: ${names} may have its data`, {
    advice: 'these VMs were not there when the plan was created; run plan again',
  });
}

function notRestored(step: StepOf<'bootstrap'>): StepError {
  return new StepError(
    'apply.etcd-runs',
    `etcd runs already, and nothing of ${step.restore?.path} is in it`,
    {
      advice:
        'run the restore again: it detaches and keeps the disks of this etcd and starts from the snapshot',
    },
  );
}

function failed(step: StepOf<'bootstrap'>, last: string): StepError {
  return new StepError('apply.bootstrap', `etcd could not be bootstrapped on ${step.node}: ${last}`, {
    advice: `look at the console of ${step.node} and at \`oxherd status\`; etcd data of an earlier cluster needs a majority of its members: where they are lost, \`oxherd etcd restore FILE\` starts from a snapshot and \`oxherd apply --fresh\` from an empty database`,
  });
}

/** All of them are asked, and all must answer: they have their configs by now. */
async function hasData(context: StepContext, controlPlanes: readonly string[]): Promise<boolean> {
  const details = await Promise.all(controlPlanes.map((ip) => detailsOf(context, ip, 'controlplane')));
  return details.some(hasEtcdData);
}

async function isRunning(context: StepContext, controlPlanes: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(
    controlPlanes.map((ip) => attempt(() => adminOf(context, ip).etcd.members())),
  );
  return answers.some((members) => members.known && members.value.length > 0);
}
