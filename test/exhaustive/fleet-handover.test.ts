/** Replicas as processes: stopped past their leases, asked to end, and beside a person at the command line. */
import { describe, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { ServedFleet } from '../support/fleet/processes.js';
import { expectNothingTwice, holderOf, isEvent, starts } from '../support/fleet/undisturbed.js';

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
    // What was planned in the middle of it is planned again.
    await fleet.lookAgain();
    await fleet.untilReady(/^True/);
    await expectNothingTwice(fleet);
  });
});
