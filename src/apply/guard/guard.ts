/**
 * The one check before a node or an etcd member is taken down. Two moments:
 *
 * 1. `awaitTurn`, before the drain: etcd's majority, the API, the other nodes, and the gates of `policy.gates`.
 * 2. `permitDown`, directly before the request: lock, identity, the other nodes and etcd's majority once more. Minutes of
 *    gates, a snapshot and a drain lie between the two. Gates are not asked again, because the drain closes those of storage.
 *
 * The clients of steps accept a request that takes a node down only with the `Permit` that `permitDown` returns.
 */
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import type { VmState } from '../../formats/proxmox/vm-config.js';
import { attempt } from '../../observe/attempt.js';
import { isNodeReady } from '../../observe/readiness.js';
import type { StepOf } from '../../plan/steps.js';
import { uncordon } from '../drain.js';
import { Reading } from '../lock/freshness.js';
import { awaitCluster } from '../support/cluster-wait.js';
import type { StepContext } from '../support/context.js';
import { checkIdentity } from '../support/machine-identity.js';
import { adminOf, until } from '../support/machine-wait.js';
import { nodeObjectOfMachine, objectName, readNodeObject } from '../support/node-object.js';
import { checkOurs, requireVm, StepError } from '../support/read-vm.js';
import type { DownRule } from './down-rules.js';
import { quorumRefusal, removalRefusal, stayingRefusal } from './etcd-quorum.js';
import { awaitGates } from './gates.js';
import { type BudgetedNode, budgetRefusal } from './other-nodes.js';
import type { Refusal } from './refusal.js';

/** Long enough for a node that was unavailable before this run to boot and join. */
const OTHERS_TIMEOUT_MS = 10 * 60_000;
/** A member that joined or came back just now catches up in less; one that does not is a matter for people. */
const QUORUM_TIMEOUT_MS = 5 * 60_000;
/** An API server restarts in less. */
const API_TIMEOUT_MS = 5 * 60_000;
/** The node is drained meanwhile: work waits for it. */
const PERMIT_TIMEOUT_MS = 5 * 60_000;
/** Longer than the checks take with members that do not answer; they are older if the process was suspended meanwhile. */
const PERMIT_FRESH_MS = 2 * 60_000;
/** Checks that were too old when they had ended, one after the other, before the run stops. */
const MOST_CHECKS = 3;

/** The node that a request takes down. */
interface Target {
  readonly vmid: number;
  /** Absent: Proxmox is asked where the VM is. */
  readonly host?: string;
  readonly node?: string;
  /** Where its Talos API answers; absent: the request goes to Proxmox. */
  readonly ip?: string;
}

/** For one request on one subject: `vm 141`, `machine 10.0.0.41`, `member 8e9e05c52164694d`. Only this file makes one. */
class GrantedPermit {
  #spent = false;

  constructor(
    private readonly subjects: readonly string[],
    /** When the checks began that allow it. */
    private readonly checked: Reading,
  ) {}

  /** Throws if this permit is for something else, was used, or rests on checks that are too old. */
  spend(subject: string): void {
    if (this.checked.age > PERMIT_FRESH_MS) throw tooOld(subject, this.checked);
    if (this.#spent || !this.subjects.includes(subject))
      throw blocked(
        `${subject} may not be taken down with ${this.#spent ? 'a used permit' : `the permit of ${this.subjects.join(', ')}`}`,
      );
    this.#spent = true;
  }
}

function blocked(why: string): StepError {
  return new StepError('guard.permit', `blocked by the disruption guard: ${why}`, {
    advice: 'nothing was sent; this is a bug, please report it',
  });
}

function tooOld(subject: string, { age }: Reading): StepError {
  const minutes = Math.round(age / 60_000);
  return new StepError(
    'guard.too-old',
    `${subject} was not taken down: the checks for it are ${minutes} min old, because this process was suspended or the cluster answers too slowly`,
    { advice: 'nothing was sent; run apply again' },
  );
}

export type Permit = GrantedPermit;

type Rolled = Extract<DownRule, { kind: 'roll' | 'retire' }>;

/** Before the drain. Returns whether the Kubernetes API answers: without it nothing can be drained. */
export async function awaitTurn(rule: Rolled, context: StepContext): Promise<{ readonly api: boolean }> {
  const { step } = rule;
  const kubernetes = context.kubernetes?.client;
  // The plan was made while the API was down, and the outage was confirmed.
  const confirmed = kubernetes !== undefined && step.apiDown === true && !(await kubernetes.ready());
  if (!confirmed) await awaitMembers(rule, context);
  if (!kubernetes || confirmed) return { api: false };
  await awaitApi(rule, context, kubernetes);
  // A node that is not Ready has lost its work already: the others lose nothing when it leaves.
  if (rule.kind === 'retire' && !isNodeReady(await nodeObjectOfMachine(kubernetes, rule.step.uuid)))
    return { api: true };
  await awaitOthers(rule, context, kubernetes);
  await awaitGates(step.gates, refusing(rule), context, kubernetes);
  return { api: true };
}

/** Directly before the request, after the last wait. */
export async function permitDown(context: StepContext, target: Target): Promise<Permit> {
  const rule = context.guard.rules(target.vmid);
  const checked = await untilPermitted(rule, context, () => downRefusal(rule, context, target));
  const { vmid, ip } = target;
  return new GrantedPermit([`vm ${vmid}`, ...(ip === undefined ? [] : [`machine ${ip}`])], checked);
}

/** Directly before a node leaves etcd: by itself, or removed by the others. */
export async function permitLeave(
  context: StepContext,
  step: StepOf<'retire-node'>,
  memberId: bigint,
): Promise<Permit> {
  const rule = { kind: 'retire', step } as const;
  const checked = await untilPermitted(rule, context, async () => {
    const others = await othersRefusal(rule, context);
    return others === 'confirmed' ? undefined : ((await memberRefusal(rule, context)) ?? others);
  });
  const own = step.ip === undefined ? [] : [`machine ${step.ip}`];
  return new GrantedPermit([...own, `member ${memberId.toString(16)}`], checked);
}

/** Directly before the others remove a member whose data is gone. */
export async function permitRemoval(
  context: StepContext,
  step: StepOf<'remove-member'>,
  voters: number,
): Promise<Permit> {
  const checked = new Reading(context.clock);
  const refusal = await removalRefusal(step, voters, context);
  if (refusal) {
    const { code, why, advice } = refusal;
    throw new StepError(code, `the etcd member of ${step.node} stays: ${why}`, { advice });
  }
  await context.guard.lock.open();
  return new GrantedPermit([`member ${step.memberId}`], checked);
}

/** Returns when the checks began that found nothing against it. */
async function untilPermitted(
  rule: DownRule | undefined,
  context: StepContext,
  ask: () => Promise<Refusal | undefined>,
): Promise<Reading> {
  for (let checks = 1; ; checks += 1) {
    const checked = await untilAllowed(rule, context, ask);
    await context.guard.lock.open();
    // Older checks say nothing about now: another member may have failed while this process was suspended.
    if (checked.age <= PERMIT_FRESH_MS || checks >= MOST_CHECKS) return checked;
  }
}

async function untilAllowed(
  rule: DownRule | undefined,
  context: StepContext,
  ask: () => Promise<Refusal | undefined>,
): Promise<Reading> {
  let checked = new Reading(context.clock);
  let refusal: Refusal | undefined;
  await until<true>(
    context,
    { timeoutMs: PERMIT_TIMEOUT_MS, timeout: (last) => refused(rule, refusal, last, context) },
    async (waiting) => {
      checked = new Reading(context.clock);
      refusal = undefined;
      refusal = await ask();
      if (!refusal) return true;
      waiting(refusal.why);
      return undefined;
    },
  );
  return checked;
}

/** The node is back, or stays: it no longer counts as taken down by this run. */
export function endTurn(context: StepContext, node: string | undefined): void {
  if (node !== undefined) context.guard.disrupted.delete(node);
}

async function downRefusal(
  rule: DownRule | undefined,
  context: StepContext,
  target: Target,
): Promise<Refusal | undefined> {
  const { vmid, node = `VM ${vmid}` } = target;
  const host = target.host ?? (await hostOf(context, vmid));
  const uuid = uuidOfVm(context, vmid, await requireVm(context, host, vmid));
  // A VM that is stopped takes part in nothing: neither quorum nor budget loses by it.
  if ((await context.client.vmStatus(host, vmid)).status === 'stopped') return undefined;
  if (target.ip !== undefined && uuid !== undefined)
    await checkIdentity(adminOf(context, target.ip), { node, uuid, ip: target.ip });
  if (!rule) throw blocked(`this plan has no check for ${node}, which runs`);
  if (rule.kind === 'confirmed' || (rule.kind === 'roll' && rule.step.outage)) return undefined;
  // It has left Kubernetes by then.
  if (rule.kind === 'retire') return memberRefusal(rule, context);
  const others = await othersRefusal(rule, context);
  if (others === 'confirmed') return undefined;
  // Asked last, and said first: members that fail take the API with them.
  return (await memberRefusal(rule, context)) ?? others;
}

/** `confirmed`: the API was down when the plan was made, and is so now. */
async function othersRefusal(rule: Rolled, context: StepContext): Promise<Refusal | 'confirmed' | undefined> {
  const kubernetes = context.kubernetes?.client;
  if (!kubernetes) return undefined;
  const asked = await attempt(async () => {
    if (!(await kubernetes.ready())) return noApi('no API server is ready');
    return budgetRefusal(await goingOf(rule, kubernetes), context.guard.disrupted, kubernetes);
  });
  const refusal = asked.known ? asked.value : noApi(asked.why);
  return refusal?.code === 'guard.api' && rule.step.apiDown ? 'confirmed' : refusal;
}

/** A node that leaves is known by its machine: a new one may have its name. */
async function goingOf({ kind, step }: Rolled, kubernetes: KubernetesClient): Promise<BudgetedNode> {
  if (kind === 'roll') return step;
  const object = await nodeObjectOfMachine(kubernetes, step.uuid);
  return { ...step, goesAs: object?.metadata?.name ?? '', maxAway: 1 };
}

/** Throws unless the VM is this cluster's. */
function uuidOfVm(context: StepContext, vmid: number, state: VmState): string | undefined {
  checkOurs(context, vmid, state);
  return parsePropertyString(state.values.smbios1 ?? '').uuid?.toLowerCase();
}

async function hostOf({ client }: StepContext, vmid: number): Promise<string> {
  const vm = (await client.vms()).find((one) => one.vmid === vmid);
  if (vm) return vm.node;
  throw new StepError('apply.vm-gone', `VM ${vmid} is on no host`, {
    advice: 'it was removed since the plan was created; run plan again',
  });
}

async function memberRefusal(rule: Rolled, context: StepContext): Promise<Refusal | undefined> {
  if (rule.step.role !== 'controlplane') return undefined;
  return rule.kind === 'roll' ? quorumRefusal(rule.step, context) : stayingRefusal(rule.step, context);
}

function noApi(why: string): Refusal {
  return {
    code: 'guard.api',
    why: `the Kubernetes API does not answer: ${why}`,
    advice: 'see `oxherd status`; then run apply again',
  };
}

async function awaitMembers(rule: Rolled, context: StepContext): Promise<void> {
  if (rule.kind === 'roll' && rule.step.outage) return;
  await wait(QUORUM_TIMEOUT_MS, rule, context, () => memberRefusal(rule, context));
}

async function awaitApi(rule: Rolled, context: StepContext, kubernetes: KubernetesClient): Promise<void> {
  await wait(API_TIMEOUT_MS, rule, context, async () =>
    (await kubernetes.ready()) ? undefined : noApi('no API server is ready'),
  );
}

/** Counts this node as taken down from then on, so that two turns at a time do not both take the last free place. */
async function awaitOthers(rule: Rolled, context: StepContext, kubernetes: KubernetesClient): Promise<void> {
  const { disrupted } = context.guard;
  await wait(OTHERS_TIMEOUT_MS, rule, context, async () => {
    const going = await goingOf(rule, kubernetes);
    const refusal = await budgetRefusal(going, disrupted, kubernetes);
    if (!refusal && going.node !== undefined) disrupted.add(going.node);
    return refusal;
  });
}

async function wait(
  timeoutMs: number,
  rule: Rolled,
  context: StepContext,
  ask: () => Promise<Refusal | undefined>,
): Promise<void> {
  let refusal: Refusal | undefined;
  await awaitCluster<true>(
    context,
    {
      timeoutMs,
      timeout: (last) => {
        const { code, advice } = refusal ?? noApi(last);
        return new StepError(code, `${refusing(rule)}: ${last}`, {
          advice: `it was left unchanged; ${advice}`,
        });
      },
    },
    async (waiting) => {
      refusal = undefined;
      refusal = await ask();
      if (!refusal) return true;
      waiting(refusal.why);
      return undefined;
    },
  );
}

/** The drain was for nothing: work may return to the node. */
async function refused(
  rule: DownRule | undefined,
  refusal: Refusal | undefined,
  last: string,
  context: StepContext,
): Promise<StepError> {
  const { code, advice } = refusal ?? noApi(last);
  if (rule?.kind !== 'roll' && rule?.kind !== 'retire') return new StepError(code, last, { advice });
  const { node } = rule.step;
  endTurn(context, node);
  const returned = await attempt(() => letWorkReturn(rule, context));
  const state = returned.known
    ? `${node} still runs and was uncordoned`
    : `${node} still runs and stays cordoned until the next run, because it could not be uncordoned (${returned.why})`;
  return new StepError(code, `${refusing(rule)}: ${last}`, { advice: `${state}; ${advice}` });
}

async function letWorkReturn(rule: Rolled, context: StepContext): Promise<void> {
  const kubernetes = context.kubernetes?.client;
  const { clock, progress } = context;
  if (!kubernetes) return;
  if (rule.kind === 'retire') {
    const own = await nodeObjectOfMachine(kubernetes, rule.step.uuid);
    if (own) await uncordon({ kubernetes, clock, progress }, objectName('', own));
    return;
  }
  const name = rule.step.goesAs ?? rule.step.node ?? '';
  const object = objectName(name, await readNodeObject(kubernetes, name));
  await uncordon({ kubernetes, clock, progress }, object);
}

function refusing({ kind, step }: Rolled): string {
  return `refusing to ${kind === 'roll' ? 'disrupt' : 'remove'} ${step.node}`;
}
