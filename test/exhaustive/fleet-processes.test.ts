/** Replicas as processes: killed at each kind of event of an apply, stopped past their leases, beside a person. */
import { describe, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { type LogLine, type ReplicaProcess, ServedFleet, until } from '../support/fleet/processes.js';
import { tier } from '../support/shard.js';

const isEvent = (kind: string) => (line: LogLine) => line.message === kind;
const starts = (fleet: ServedFleet) => ['a', 'b'].map((name) => fleet.replica(name));

/** The replica that carries out the run. */
async function holderOf(replicas: readonly ReplicaProcess[]): Promise<ReplicaProcess> {
  const runs = () => replicas.find((replica) => replica.log().some(isEvent('run-started')));
  await until('a run is started', async () => runs() !== undefined);
  const holder = runs();
  if (!holder) throw new Error('no replica runs');
  return holder;
}

/** What each write was done in a run that no one disturbed; made once. */
let undisturbed: Promise<{ writes: Map<string, number>; events: Map<string, number> }> | undefined;
function baseline() {
  undisturbed ??= (async () => {
    const fleet = await ServedFleet.start();
    const replicas = starts(fleet);
    await fleet.approve();
    await fleet.untilReady(/^True/);
    const events = new Map<string, number>();
    for (const { message } of replicas.flatMap((replica) => replica.log()))
      events.set(message, (events.get(message) ?? 0) + 1);
    const writes = fleet.writes();
    await fleet.stop();
    return { writes, events };
  })();
  return undisturbed;
}

/** Nothing was done more often than in an undisturbed run. */
async function expectNothingTwice(fleet: ServedFleet): Promise<void> {
  const { writes } = await baseline();
  const more = [...fleet.writes()].filter(([key, count]) => count > (writes.get(key) ?? 0));
  expect(more).toEqual([]);
  for (const key of writes.keys())
    if (key.startsWith('task ')) expect([...fleet.writes().keys()]).toContain(key);
}

/** Kind of event, and how many of its kind come first. In `test:full` at each of all of them. */
async function moments(): Promise<{ kind: string; at: number }[]> {
  const { events } = await baseline();
  const kinds = ['run-started', 'step-started', 'step-progress', 'step-done', 'run-ended'];
  return kinds.flatMap((kind) => {
    const all = events.get(kind) ?? 0;
    if (tier() === 'full') return Array.from({ length: all }, (_, index) => ({ kind, at: index + 1 }));
    return all === 0 ? [] : [{ kind, at: Math.ceil(all / 2) }];
  });
}

describe('a replica that is killed with -9', () => {
  it('at each kind of event leaves what another one finishes, and nothing is written twice', async () => {
    for (const { kind, at } of await moments()) {
      const fleet = await ServedFleet.start();
      const replicas = starts(fleet);
      await fleet.approve();
      const holder = await holderOf(replicas);
      await holder.logged(`${kind} ${at}`, isEvent(kind), at);
      holder.kill('SIGKILL');
      await holder.ended;
      await fleet.untilReady(/^True/);
      await expectNothingTwice(fleet);
      await fleet.stop();
    }
  });
});

describe('a replica that is stopped past its lease', () => {
  it('writes nothing when it goes on: another one has finished', async () => {
    const fleet = await ServedFleet.start();
    const replicas = starts(fleet);
    await fleet.approve();
    const holder = await holderOf(replicas);
    await holder.logged('steps', isEvent('step-done'), 4);
    holder.kill('SIGSTOP');
    await fleet.untilReady(/^True/);
    const before = fleet.writes();
    holder.kill('SIGCONT');
    await holder.logged('the lost lease', isEvent('lease lost'));
    holder.kill('SIGTERM');
    expect(await holder.ended).toMatchObject({ exit: 0 });
    expect(fleet.writes()).toEqual(before);
    await expectNothingTwice(fleet);
  });
});

describe('a replica that is asked to end', () => {
  it('hands its run over at once', async () => {
    const fleet = await ServedFleet.start();
    const replicas = starts(fleet);
    await fleet.approve();
    const holder = await holderOf(replicas);
    await holder.logged('steps', isEvent('step-done'), 3);
    holder.kill('SIGTERM');
    expect(await holder.ended).toMatchObject({ exit: 0 });
    await fleet.untilReady(/^True/);
    await expectNothingTwice(fleet);
  });
});

describe('a person at the command line', () => {
  it('has the cluster to themselves while a run goes on, and the controller finds their work', async () => {
    const fleet = await ServedFleet.start();
    const person = fleet.folder.spawn(['--lab', '--json', 'apply', '--yes']);
    await person.printed(6);
    await fleet.useSecretsOfPerson();
    starts(fleet);
    ended(await person.ended);
    await fleet.untilReady(/^True|AwaitingApproval/);
    expect(await fleet.ready()).toMatch(/^True/);
    await expectNothingTwice(fleet);
  });
});
