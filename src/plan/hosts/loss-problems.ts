/** What must be so before a host counts as lost: a VM that only cannot be reached may still run and write its disks. */
import type { Observed } from '../../observe/observed.js';
import type { Note, Problem } from '../plan.js';

/**
 * How it is known that a host is off. `removed`: `pvecm delnode`. `recovery`: HA recovers a service of it, which it does
 * only after fencing. `fenced`: this run has seen HA fence it. `stated`: a person has named it as switched off.
 */
export type OffProof = 'removed' | 'recovery' | 'fenced' | 'stated';

type Facts = Pick<Observed, 'hosts' | 'quorate' | 'ha'>;

/** `known`: what the observation itself cannot show. `undefined`: the host may still run. */
export function offProof(
  observed: Facts,
  host: string,
  known: Exclude<OffProof, 'removed'> | undefined,
): OffProof | undefined {
  const { hosts, ha } = observed;
  if (!hosts[host]) return 'removed';
  if (known !== undefined) return known;
  // Without a quorum what HA has written down is old.
  if (!ha?.known || !hasQuorum(observed)) return undefined;
  const { services = {}, serviceHosts = {} } = ha.value;
  // The state of the host itself proves nothing: `fence` means that it is to be fenced, `unknown` is before and after that.
  const recovers = Object.entries(services).some(
    ([sid, state]) => state === 'recovery' && serviceHosts[sid] === host,
  );
  return recovers ? 'recovery' : undefined;
}

export function lossProblems(observed: Facts, host: string, standing: LossStanding): Problem[] {
  return [...quorumProblems(observed), ...hostProblems(observed, host, standing)];
}

interface LossStanding {
  /** A VM of ours is on it, or oxherd.yaml names it. */
  readonly concerned: boolean;
  /** The config of a VM of ours is still there; HA moves one only after fencing. */
  readonly hasVms: boolean;
  readonly proof: OffProof | undefined;
}

/** A quorum that could not be read is none; the lock, which is the first write of a run, finds out. */
export function lossNotes(observed: Facts): Note[] {
  if (observed.quorate.known) return [];
  const message = `whether the Proxmox cluster has its quorum is not known (${observed.quorate.why}); the run stops at its lock, before any change, if it has none: pvecm status`;
  return [{ code: 'advice', message }];
}

function quorumProblems({ quorate, hosts }: Facts): Problem[] {
  if (!quorate.known || quorate.value) return [];
  const up = Object.values(hosts).filter(({ online }) => online).length;
  const advice = `if the hosts that are down stay off, vote without them, as root: pvecm expected ${up}`;
  return [problem('proxmox-quorum', 'the Proxmox cluster has no quorum', advice)];
}

function hostProblems(
  { hosts, ha }: Facts,
  host: string,
  { concerned, hasVms, proof }: LossStanding,
): Problem[] {
  const there = hosts[host];
  if (!there && !concerned) {
    const names = Object.keys(hosts).sort().join(', ');
    return [problem('unknown-host', `Proxmox has no host ${host}, and no VM of it`, `hosts are: ${names}`)];
  }
  if (there?.online) {
    const advice = `to take it out of service: oxherd host drain ${host}; what an interrupted \`host lost\` has changed: oxherd plan`;
    return [problem('host-up', `${host} is up: nothing of it is lost`, advice)];
  }
  if (proof !== undefined || !hasVms) return [];
  const state = ha?.known ? ha.value.hosts[host] : undefined;
  return [
    problem(
      'host-not-fenced',
      `${host} is down, and nothing proves that it is off: its VMs may still run${state === 'fence' ? ' (HA has not fenced it yet)' : ''}`,
      `switch it off and see that it is, then: ${lostCommand(host, 'stated')}; or remove it from the Proxmox cluster: pvecm delnode ${host}`,
    ),
  ];
}

/** With the statement that the host is off, where nothing else will show it again. */
export function lostCommand(host: string, proof: OffProof | undefined): string {
  const stated = proof === undefined || proof === 'removed' ? '' : ` --powered-off ${host}`;
  return `oxherd host lost ${host}${stated} --confirm ${host}`;
}

function hasQuorum({ quorate }: Pick<Observed, 'quorate'>): boolean {
  return quorate.known && quorate.value;
}

function problem(code: string, message: string, advice: string): Problem {
  return { code, scope: 'plan', message, advice };
}
