/** What a person must confirm before a plan is applied: decided here for every front end. Pure. */
import type { Config } from '../../config/config.js';
import { isDisruptive, type Plan } from '../../plan/plan.js';
import { nodesWithoutApi, onlyKubelets } from '../../plan/roll/outage.js';
import type { PreparedPlan } from '../plan/plan-request.js';

export interface Confirmation {
  readonly question: string;
  /** The Kubernetes API becomes unavailable, and `policy.outage` does not allow that: asked even with `--yes`. */
  readonly outage?: string;
  /** Typed instead of a yes, for plans that cannot be undone by running something again. */
  readonly name?: NameToType;
  /** `policy.rehearse` demands that the plan runs on a twin first. */
  readonly rehearsal: boolean;
}

export interface NameToType {
  readonly name: string;
  /** What would happen: a sentence without its end. */
  readonly what: string;
}

/** What a person answered to a confirmation that was shown for one plan. */
export interface Answer {
  readonly planId: string;
  /** Sentences that were confirmed, as they were shown. */
  readonly confirmed: readonly string[];
  readonly name?: string;
}

/** What of a confirmation is not answered: a sentence without its end. `undefined`: all is confirmed. */
export function unconfirmed(
  { question, outage, name }: Confirmation,
  planId: string,
  answer: Answer | undefined,
): string | undefined {
  if (answer?.planId !== planId) return `plan ${planId.slice(0, 12)} was not confirmed`;
  const missing = [question, ...(outage === undefined ? [] : [outage])].find(
    (sentence) => !answer.confirmed.includes(sentence),
  );
  if (missing !== undefined) return `"${missing}" was not confirmed`;
  if (name && answer.name !== name.name) return `${name.what}; the name ${name.name} was not typed`;
  return undefined;
}

type Planned = Pick<PreparedPlan, 'request' | 'plan' | 'doubts' | 'loss' | 'kubernetes'>;

export function confirmationOf(prepared: Planned, config: Config): Confirmation {
  const { plan, request } = prepared;
  const { policy } = config;
  const outage = policy.outage === 'allow' ? undefined : outageOf(plan);
  const name = nameFor(prepared, config);
  return {
    question: questionFor(request, config),
    ...(outage !== undefined && { outage }),
    ...(name && { name }),
    rehearsal:
      policy.rehearse === 'before-restart' &&
      request.kind === 'converge' &&
      plan.steps.some(({ impact }) => isDisruptive(impact)),
  };
}

/** What happens while the API is unavailable, if the plan has such a part. */
function outageOf(plan: Plan): string | undefined {
  const blind = nodesWithoutApi(plan.steps);
  if (blind.length > 0)
    return `The Kubernetes API does not answer: ${blind.join(', ')} ${blind.length === 1 ? 'is' : 'are'} taken down without a drain, and without asking gates, the other nodes and etcd.`;
  const nodes = outagesIn(plan);
  const [only] = onlyKubelets(plan.steps);
  if (nodes.length === 0)
    return only === undefined
      ? undefined
      : `${only} is the only node: if its new kubelet does not start, no pod is started or restarted until it does.`;
  return `The Kubernetes API will be unavailable while ${nodes.join(', ')} ${nodes.length === 1 ? 'restarts' : 'restart'}.`;
}

/** Control planes that cannot restart without the API being unavailable. */
function outagesIn({ steps }: Plan): string[] {
  return steps.flatMap((step) =>
    step.kind === 'begin-disruption' && step.outage && step.node !== undefined ? [step.node] : [],
  );
}

function questionFor(request: PreparedPlan['request'], { cluster: { name } }: Config): string {
  switch (request.kind) {
    case 'restart':
      return `Restart ${request.nodes.join(', ')}?`;
    case 'replace':
      return `Replace the system disk of ${request.nodes.join(', ')}?`;
    case 'destroy':
      return `Destroy the VMs of ${name}? Data is kept.`;
    case 'adopt':
      return request.undo === true ? `Give the VMs of ${name} back?` : `Adopt ${name}?`;
    case 'drain-host':
      return `Drain ${request.host}?`;
    case 'return-host':
      return `Bring the nodes of ${request.host} back?`;
    case 'balance':
      return 'Move these nodes?';
    default:
      return 'Apply this plan?';
  }
}

function nameFor(
  { request, doubts, loss, kubernetes }: Planned,
  { cluster, nodes }: Config,
): NameToType | undefined {
  switch (request.kind) {
    case 'converge':
      return resetName(request, doubts, cluster.name, nodes.length);
    case 'destroy':
      return request.deleteData === true
        ? { name: cluster.name, what: 'all data of the cluster would be destroyed' }
        : undefined;
    case 'delete-volume':
      return { name: request.name, what: `the data of ${request.name} would be destroyed` };
    case 'forget-volume':
      return {
        name: request.name,
        what: `${request.name} would be removed from its VMs, and the next apply creates a new, empty disk if oxherd.yaml still has it`,
      };
    case 'adopt-volume': {
      const { name, volid } = request;
      if (doubts.length === 0) return undefined;
      return {
        name,
        what: kubernetes
          ? `${volid} becomes ${name} of this cluster; ${doubts.join('; ')} cannot be told`
          : `whether ${volid} is ${name} cannot be told: ${doubts.join('; ')}`,
      };
    }
    case 'lose-host': {
      const lost = loss?.lost ?? [];
      return {
        name: request.host,
        what:
          lost.length > 0
            ? `these volumes are lost with ${request.host}: ${lost.join(', ')}`
            : `${request.host} would be given up for good; no volume of oxherd.yaml is lost with it`,
      };
    }
    default:
      return undefined;
  }
}

function resetName(
  { fresh, restore }: Extract<PreparedPlan['request'], { kind: 'converge' }>,
  doubts: readonly string[],
  cluster: string,
  nodes: number,
): NameToType | undefined {
  if (restore)
    return {
      name: cluster,
      what: [
        `the Kubernetes API of ${cluster} becomes unavailable, and everything written since the snapshot is lost; the old disks are kept`,
        ...doubts.map((doubt) => `${doubt}: type the name only if that was ${cluster}`),
      ].join('. '),
    };
  if (!fresh || fresh.length === 0) return undefined;
  return {
    name: cluster,
    what:
      fresh.length < nodes
        ? `${fresh.join(', ')} would be reset (new /var); the old disks and all volumes are kept`
        : `${cluster} would start as a new, empty cluster; the old disks and all volumes are kept`,
  };
}
