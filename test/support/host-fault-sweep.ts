/** Many faults while hosts are maintained: which of them a tier takes, and what was wrong. */
import type { FaultName } from '../../src/lab/faults.js';
import type { Occasion } from '../../src/session/rehearse/chaos/occasions.js';
import { nameOf } from './fault-sweep.js';
import { rollThrough } from './host-fault-chain.js';
import { type HostRun, hostMeetsFault, hostOccasions } from './host-faults.js';
import { type Disks, RackOfHosts, rebuildingStorage } from './host-roll.js';
import { chosen, isRemembered, remember, remembered, tier } from './shard.js';

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
  const { taken, text } = takenOf(occasions, exhaustive);
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
  console.log(`${name}: ${text}`);
  return { occasions: occasions.length, runs: taken.length, wrong };
}

function takenOf(
  occasions: readonly Occasion[],
  exhaustive: number,
): { readonly taken: readonly Occasion[]; readonly text: string } {
  const kinds = firstsBy(occasions, kindOf);
  const steps = firstsBy(occasions, ({ fault, step }) => `${fault} ${step.id}`);
  const taken = tier() === 'full' ? chosen(steps, {}) : chosen(kinds, { exhaustive });
  const text = `${taken.length} faults of ${steps.length} at steps, ${kinds.length} at kinds of steps`;
  return { taken, text };
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
 * `host roll` with many faults, resumed after each as the command says: of one host, which has every kind of step, and in
 * test:full of all hosts with each fault at every step.
 */
export async function sweepRoll(hosts: number, disks: Disks, exhaustive: number): Promise<HostSweep> {
  const rack = await RackOfHosts.build(hosts, disks);
  const names = tier() === 'full' ? rack.names : rack.names.slice(1, 2);
  const run = rollOf(rack, names);
  const occasions = await hostOccasions(rack, run);
  const { taken, text } = takenOf(occasions, exhaustive);
  const keyOf = (occasion: Occasion) => `roll of ${hosts} hosts, ${disks} ${nameOf(occasion)}`;
  const { wrong, alone } = await rollThrough(
    rack,
    names,
    taken.filter((one) => !isRemembered(keyOf(one))),
    async (passed) => {
      for (const one of passed) await remember(keyOf(one));
    },
  );
  // Each alone decides, where there is not the time to look at what only several of them do.
  const found = tier() === 'full' ? [...wrong] : [];
  for (const text of wrong) process.stderr.write(`together: ${text}\n`);
  for (const one of alone) {
    const problems = await remembered(keyOf(one), () => hostMeetsFault(rack, run, one));
    if (problems.length > 0) found.push(`${nameOf(one)}: ${problems.join('; ')}`);
  }
  console.log(`roll of ${hosts} hosts, ${disks}: ${text}, ${alone.length} of them alone`);
  return { occasions: occasions.length, runs: taken.length, wrong: found };
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
