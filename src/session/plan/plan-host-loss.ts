/**
 * Plans for a host that never comes back, one part at a time: what only the lost VMs' configs still tell, then, once root
 * has moved or removed those configs, the lines of lost disks, then the nodes themselves. Each run of the command sees
 * which part it is at.
 */
import { visibleVms } from '../../observe/observed-vms.js';
import { volumesForgotten } from '../../plan/drives/plan-volume-forget.js';
import { concernedNodes, type HostLoss, hostLoss, placesFor } from '../../plan/hosts/host-loss.js';
import { lossNotes, lossProblems, type OffProof, offProof } from '../../plan/hosts/loss-problems.js';
import { nodesWithoutEphemeral, planLossCleanup, planLostDrives } from '../../plan/hosts/plan-loss.js';
import type { Site } from '../connect/site.js';
import { lookAtHosts, planPlaced } from './plan-host.js';
import type { PreparedPlan } from './plan-request.js';

export interface HostLossRequest {
  readonly kind: 'lose-host';
  readonly host: string;
  /** How a person or an earlier part of this run knows that the host is off. */
  readonly off?: Exclude<OffProof, 'removed'>;
}

type LossPlan = Pick<PreparedPlan, 'plan' | 'design' | 'observed' | 'kubernetes'> & {
  readonly loss: HostLoss;
  readonly off?: OffProof;
  readonly allow?: PreparedPlan['allow'];
};

export async function planHostLoss(site: Site, { host, off }: HostLossRequest): Promise<LossPlan> {
  const situation = await lookAtHosts(site);
  const { design, observed } = situation;
  const concerned = concernedNodes(design, observed, host);
  const found = hostLoss(design, observed, host);
  const isNamed =
    concerned.length > 0 ||
    found.loss.commands.length > 0 ||
    site.config.hosts.some(({ name }) => name === host);
  const proof = offProof(observed, host, off);
  const refused = lossProblems(observed, host, {
    concerned: isNamed,
    hasVms: visibleVms(observed).some((vm) => vm.host === host),
    proof,
  });
  const isUp = refused.some(({ code }) => code === 'host-up');
  const loss = isUp ? { ...found.loss, nodes: [], lost: [], commands: [] } : found.loss;
  const problems = [...refused, ...(isUp ? [] : found.problems)];
  const base = { ...situation, loss, ...(proof && { off: proof }) };
  const made = planLossCleanup(design, observed, loss);
  const cleanup = { ...made, notes: [...lossNotes(observed), ...made.notes] };
  if (problems.length > 0) return { ...base, plan: { ...cleanup, steps: [], problems } };
  // Steps, or none: then root is waited for.
  if (loss.commands.length > 0) return { ...base, plan: cleanup };
  const drives = planLostDrives(design, observed, concerned);
  if (drives.steps.length > 0)
    return { ...base, plan: drives, allow: { mayForget: volumesForgotten(drives) } };
  const { targets, problems: left } = placesFor(design, observed, host, concerned);
  const fresh = nodesWithoutEphemeral(observed, concerned);
  const placed = await planPlaced(
    site,
    situation,
    { targets, why: `${host} is lost` },
    {
      only: concerned.map(({ name }) => name),
      lostHost: host,
      ...(fresh.length > 0 && { fresh }),
      found: { problems: left, notes: [] },
    },
  );
  return { ...base, ...placed };
}
