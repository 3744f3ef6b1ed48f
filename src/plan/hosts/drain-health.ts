/** What is not well elsewhere: the first step that stops a node would wait for it, when others have begun. */
import type { Design, NodeDesign } from '../../design/design.js';
import { compareNaturally } from '../../model/natural-order.js';
import { majorityOf } from '../../model/quorum.js';
import type { Observed } from '../../observe/observed.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { isMade } from '../facts/cluster-nodes.js';
import { staysOff } from '../facts/drained-nodes.js';
import { livingEtcd } from '../facts/members.js';
import { nameBefore } from '../facts/renamed-nodes.js';
import type { Problem } from '../plan.js';
import { type RollPolicy, workersAway } from '../roll/roll.js';
import type { DrainDecision } from './decide-drain.js';

export function drainHealthProblems(
  design: Design,
  observed: Observed,
  decisions: readonly DrainDecision[],
  { maxUnavailable }: Pick<RollPolicy, 'maxUnavailable'>,
): Problem[] {
  const going = decisions.filter(({ way }) => way !== 'live');
  const away = notReady(design, observed, decisions);
  const workers = going.filter(({ role }) => role === 'worker').length;
  const most = (role: NodeDesign['role']) =>
    role === 'worker' ? workersAway(maxUnavailable.workers, workers) : 1;
  const limits = going
    .filter(({ node, role }) => away.filter((name) => name !== node).length >= most(role))
    .map(({ role }) => most(role));
  return [
    ...(limits.length > 0 ? [tooManyAway(away, Math.min(...limits))] : []),
    ...etcdProblems(design, observed, going),
  ];
}

/** Without those that are off with their host, or will be. */
function notReady(design: Design, observed: Observed, decisions: readonly DrainDecision[]): string[] {
  const known = observed.kubernetes?.nodes;
  if (!known?.known) return [];
  const off = new Set(decisions.filter(({ way }) => way === 'stay').map(({ node }) => node));
  return (
    design.nodes
      .filter((node) => !off.has(node.name) && !staysOff(node, observed))
      // A node that Kubernetes does not list is unavailable too: cloud controllers delete those that are not Ready.
      .filter((node) => isMade(node, observed) && nameBefore(node, observed) === undefined)
      .filter(({ name }) => kubeNodeOf(name, known.value)?.ready !== true)
      .map(({ name }) => name)
      .sort(compareNaturally)
  );
}

function tooManyAway(away: readonly string[], most: number): Problem {
  return {
    code: 'nodes-away',
    scope: 'plan',
    message: `${away.join(', ')} ${away.length === 1 ? 'is' : 'are'} not Ready, and ${most === 1 ? 'one node' : `${most} nodes`} may be unavailable at a time`,
    advice: 'fix it first, or remove it from oxherd.yaml; see `oxherd status`',
  };
}

/** As the members see themselves; a cluster of one or two is asked about its outage elsewhere. */
function etcdProblems(design: Design, observed: Observed, going: readonly DrainDecision[]): Problem[] {
  const planes = going.filter(({ role }) => role === 'controlplane');
  const etcd = livingEtcd({ design, observed });
  if (planes.length === 0 || etcd.state !== 'living') return [];
  const voters = etcd.members.filter(({ learner }) => !learner).length;
  const needed = majorityOf(voters);
  const isOff = (name: string) => planes.some(({ node, way }) => node === name && way === 'stay');
  const moves = planes.some(({ way }) => way === 'move') ? 1 : 0;
  const staying = etcd.healthy.filter((name) => !isOff(name)).length - moves;
  if (voters < 3 || staying >= needed) return [];
  const ill = design.nodes
    .filter(({ name, role }) => role === 'controlplane' && !etcd.healthy.includes(name))
    .map(({ name }) => name);
  // Where all are well, too many of them are on this host: that is said by count.
  if (ill.length === 0) return [];
  return [
    {
      code: 'etcd-quorum',
      scope: 'plan',
      message: `${needed} of ${voters} etcd members are needed, and without ${planes.map(({ node }) => node).join(', ')} only ${staying} would be healthy (${ill.join(', ')} ${ill.length === 1 ? 'is' : 'are'} not)`,
      advice: 'bring the others up first; see `oxherd status`',
    },
  ];
}
