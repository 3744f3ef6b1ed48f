/** What must be so before a host counts as lost: a VM that only cannot be reached may still run and write its disks. */
import type { Observed } from '../../observe/observed.js';
import type { Problem } from '../plan.js';

/** What HA takes a host for that it has switched off. */
const FENCED = ['fence', 'gone'];

export function lossProblems(
  observed: Pick<Observed, 'hosts' | 'quorate' | 'ha'>,
  host: string,
  /** A VM of ours is on it, or oxherd.yaml names it. */
  concerned: boolean,
): Problem[] {
  const { hosts, quorate, ha } = observed;
  const there = hosts[host];
  const names = Object.keys(hosts).sort().join(', ');
  if (quorate.known && !quorate.value) {
    const advice = `vote without it: pvecm expected ${Object.values(hosts).filter(({ online }) => online).length}`;
    return [problem('proxmox-quorum', 'the Proxmox cluster has no quorum', advice)];
  }
  if (!there && !concerned)
    return [problem('unknown-host', `Proxmox has no host ${host}, and no VM of it`, `hosts are: ${names}`)];
  // `pvecm delnode` removed it; what is left of it are the configs of its VMs.
  if (!there) return [];
  if (there.online) {
    const advice = `to take it out of service: oxherd host drain ${host}; what an interrupted \`host lost\` has changed: oxherd plan`;
    return [problem('host-up', `${host} is up: nothing of it is lost`, advice)];
  }
  if (ha?.known && FENCED.includes(ha.value.hosts[host] ?? '')) return [];
  return [
    problem(
      'host-not-fenced',
      `${host} is down, but neither fenced by HA nor removed from the Proxmox cluster: its VMs may still run`,
      `switch it off for good, then on another host: pvecm delnode ${host}`,
    ),
  ];
}

function problem(code: string, message: string, advice: string): Problem {
  return { code, scope: 'plan', message, advice };
}
