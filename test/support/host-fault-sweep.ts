/** Many faults while hosts are maintained: which of them a tier takes, and what was wrong. */
import type { FaultName } from '../../src/lab/faults.js';
import type { Occasion } from '../../src/session/rehearse/chaos/occasions.js';
import { nameOf } from './fault-sweep.js';
import { type HostRun, hostMeetsFault, hostOccasions } from './host-faults.js';
import { type Disks, RackOfHosts, rebuildingStorage } from './host-roll.js';
import { chosen, remembered, tier } from './shard.js';

interface HostSweep {
  readonly occasions: number;
  readonly runs: number;
  readonly wrong: readonly string[];
}

/** In test:exhaustive some kinds of steps with each fault, in turn; in test:full each fault at every step. */
export async function sweepHosts(
  name: string,
  copies: Parameters<typeof hostOccasions>[0],
  run: HostRun,
  exhaustive: number,
): Promise<HostSweep> {
  const occasions = await hostOccasions(copies, run);
  const kinds = firstsBy(occasions, kindOf);
  const steps = firstsBy(occasions, ({ fault, step }) => `${fault} ${step.id}`);
  const taken = tier() === 'full' ? chosen(steps, {}) : chosen(kinds, { exhaustive });
  const wrong: string[] = [];
  for (const occasion of taken) {
    const problems = await remembered(`host ${name} ${nameOf(occasion)}`, () =>
      hostMeetsFault(copies, run, occasion),
    );
    if (problems.length === 0) continue;
    wrong.push(`${nameOf(occasion)}: ${problems.join('; ')}`);
    // At once as well: a sweep is long.
    process.stderr.write(`${wrong.at(-1)}\n`);
  }
  console.log(`${name}: ${taken.length} runs of ${steps.length} at steps, ${kinds.length} at kinds of steps`);
  return { occasions: occasions.length, runs: taken.length, wrong };
}

function firstsBy(occasions: readonly Occasion[], keyOf: (occasion: Occasion) => string): Occasion[] {
  const firsts = new Map<string, Occasion>();
  for (const occasion of occasions) if (!firsts.has(keyOf(occasion))) firsts.set(keyOf(occasion), occasion);
  return [...firsts.values()];
}

/** `api-error` while a VM migrates in a return is another kind than in a drain. */
function kindOf({ fault, step }: Occasion): string {
  const [plan = '', id = ''] = step.id.split('/');
  return `${fault} ${Number(plan) % 2} ${id.split(':')[0]}`;
}

/** One fault in a roll of the second host. */
export async function rollMeets(
  hosts: number,
  disks: Disks,
  { fault, step, subject }: { readonly fault: FaultName; readonly step: string; readonly subject: string },
): Promise<string[]> {
  const rack = await RackOfHosts.build(hosts, disks);
  const place = { id: step, node: '', vmid: 0, host: '' };
  return hostMeetsFault(rack, rollOf(rack, rack.names.slice(1, 2)), {
    fault,
    step: place,
    subject,
    kind: 'blow',
  });
}

/**
 * `host roll`, resumed after the fault as the command says. All hosts in test:full; one of them otherwise: it has every
 * kind of step, and the others are rolled without a fault elsewhere.
 */
export async function sweepRoll(hosts: number, disks: Disks, exhaustive: number): Promise<HostSweep> {
  const rack = await RackOfHosts.build(hosts, disks);
  const names = tier() === 'full' ? rack.names : rack.names.slice(1, 2);
  return sweepHosts(`roll of ${hosts} hosts, ${disks}`, rack, rollOf(rack, names), exhaustive);
}

function rollOf({ disks }: RackOfHosts, names: readonly string[]): HostRun {
  const roll = (first: number) => ['host', 'roll', ...names.slice(first), '--yes'];
  return {
    before: [],
    run: roll(0),
    resume: (plan) => {
      const host = Math.floor((plan - 1) / 2);
      if (plan % 2 === 1) return [roll(host)];
      const back = ['host', 'return', names[host] ?? '', '--yes'];
      return host + 1 < names.length ? [back, roll(host + 1)] : [back];
    },
    beside: rebuildingStorage,
    away: disks === 'shared' ? 1 : 2,
  };
}
