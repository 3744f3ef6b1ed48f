/** Waiting for machines: they boot, install and reboot in their own time. */

import { isTalosError } from '../../clients/talos/errors.js';
import { unmarkedConfig } from '../../design/machine-config/config-mark.js';
import type { ComponentVersions } from '../../design/machine-config/context.js';
import { machineConfigHash } from '../../design/machine-config/meaning.js';
import { OxherdError } from '../../model/error.js';
import { readDetails } from '../../observe/observe-machines.js';
import type { MachineDetails } from '../../observe/observed-machines.js';
import { type Readiness, readReadiness } from '../../observe/readiness.js';
import { type GuardedTalos, guardedTalos } from '../guard/guarded-clients.js';
import type { MachineAccess, StepContext } from './context.js';
import { StepError } from './read-vm.js';

const FIRST_POLL_MS = 250;
const USUAL_POLL_MS = 2_000;
const LAST_POLL_MS = 10_000;
/** Who has waited for long can wait a little longer: a fortieth of it. */
const PART_OF_WAIT = 40;

export function needMachines(context: StepContext): MachineAccess {
  if (!context.machines) throw new StepError('apply.no-machines', 'this run has no access to the machines');
  return context.machines;
}

export function adminOf(context: StepContext, ip: string): GuardedTalos {
  const client = needMachines(context).talos.admin(ip);
  if (!client)
    throw new StepError('apply.no-secrets', 'cluster secrets not found', {
      advice: 'restore secrets.sops.yaml',
    });
  return guardedTalos(client, ip);
}

/** What a node is to be told. What does not hash to what the plan says was not agreed to, and is not sent. */
export function plannedConfig(
  context: StepContext,
  step: {
    readonly node?: string;
    readonly configHash: string;
    readonly components?: ComponentVersions;
  },
): string {
  const config = needMachines(context).configOf(step.node ?? '', step.components);
  // Without its mark: that text was read when it was marked.
  if (machineConfigHash(unmarkedConfig(config).text) === step.configHash) return config;
  throw new StepError('apply.config-changed', `the machine config of ${step.node} is not what was planned`, {
    advice: 'oxherd.yaml changed since the plan was created; run plan again',
  });
}

/**
 * Asks until there is an answer. `ask` gives `undefined` while there is none and may say why by `waiting`; what a
 * machine cannot answer while it boots is no error.
 */
export async function until<T>(
  context: StepContext,
  what: {
    readonly timeoutMs: number;
    readonly timeout: (last: string) => OxherdError | Promise<OxherdError>;
  },
  ask: (waiting: (why: string) => void) => Promise<T | undefined>,
): Promise<T> {
  const begun = context.clock.elapsed();
  const deadline = begun + what.timeoutMs;
  let last = '';
  const waiting = (why: string) => {
    if (why !== last) context.progress(why);
    last = why;
  };
  for (
    let pause = FIRST_POLL_MS;
    ;
    pause = Math.min(pause * 1.5, longestPause(context.clock.elapsed() - begun))
  ) {
    try {
      const answer = await ask(waiting);
      if (answer !== undefined) return answer;
    } catch (error) {
      if (!isPassing(error)) throw error;
      waiting(OxherdError.from(error).message);
    }
    if (context.clock.elapsed() >= deadline) throw await what.timeout(last);
    await context.clock.sleep(pause, context.signal);
  }
}

function longestPause(waitedMs: number): number {
  return Math.min(LAST_POLL_MS, Math.max(USUAL_POLL_MS, waitedMs / PART_OF_WAIT));
}

/** How long a machine may take to answer that an earlier step has restarted. */
const UP_TIMEOUT_MS = 10 * 60_000;

/** The answer of a machine that may be booting just now. */
export function whenUp<T>(
  context: StepContext,
  { node, vmid }: { readonly node?: string; readonly vmid: number },
  ask: () => Promise<T>,
): Promise<T> {
  return until(
    context,
    {
      timeoutMs: UP_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.machine-absent', `${node} does not answer: ${last}`, {
          advice: `look at the console of VM ${vmid}; the other nodes were left alone`,
        }),
    },
    async () => ({ answer: await ask() }),
  ).then(({ answer }) => answer);
}

function isPassing(error: unknown): boolean {
  return isTalosError(
    error,
    'talos.unreachable',
    'talos.timeout',
    'talos.not-ready',
    'talos.untrusted',
    'talos.certificate-required',
    'talos.certificate-refused',
  );
}

export async function detailsOf(
  context: StepContext,
  ip: string,
  role: 'controlplane' | 'worker',
): Promise<MachineDetails> {
  return readDetails(adminOf(context, ip), { role });
}

/** What a wait asks for again and again: far less than all details. */
export async function readinessOf(
  context: StepContext,
  ip: string,
  role: 'controlplane' | 'worker',
): Promise<Readiness> {
  return readReadiness(adminOf(context, ip), role);
}

/** Running, all conditions met; a control plane is a voting member of etcd. */
export function notReadyBecause(details: Readiness): string | undefined {
  if (details.stage !== 'running') return `it is ${details.stage || 'starting'}`;
  // A node is Ready in Kubernetes once it has a network, and that may be installed later.
  const unmet = details.unmet.filter(({ name }) => name !== 'nodeReady');
  if (!details.ready && (unmet.length > 0 || details.unmet.length === 0))
    return unmet.map(({ name, reason }) => `${name}: ${reason}`).join('; ') || 'not ready';
  if (!details.volumes.known) return `volumes: ${details.volumes.why}`;
  if (details.volumes.value.length > 0) return details.volumes.value.join('; ');
  if (details.etcd && !details.etcd.known) return `etcd: ${details.etcd.why}`;
  if (details.etcd?.known && details.etcd.value.learner) return 'etcd: it is still a learner';
  if (details.etcd?.known && details.etcd.value.leader === '') return 'etcd: there is no leader';
  return undefined;
}
