/** Processes that contend for the lock of one cluster: stopped, killed, and two at once. The lab counts what arrives. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startControl } from '../../src/lab/control.js';
import { type Lab, startLab } from '../../src/lab/index.js';
import { publicNetwork } from '../../src/lab/network.js';
import { labParts } from '../../src/lab/parts.js';
import { folderState } from '../../src/lab/state.js';
import { worldOf } from '../../src/session/lab/lab-world.js';
import { CliFolder, ended } from '../support/cli.js';
import { smallFile } from '../support/small-file.js';
import { configOf } from '../support/vm-site.js';

/** A folder whose lab serves from this process, so that its log can be read. */
async function servedFolder(): Promise<{ folder: CliFolder; lab: Lab }> {
  const folder = CliFolder.make(smallFile());
  const state = await folderState(join(folder.path, '.oxherd', 'lab'));
  const lab = await startLab({
    state,
    world: worldOf(configOf(smallFile())),
    speed: 200,
    network: publicNetwork(),
    parts: labParts(),
  });
  const control = await startControl(lab);
  state.lock.announce(control);
  onTestFinished(async () => {
    await control.close();
    await lab.stop();
    folder.remove();
  });
  return { folder, lab };
}

/** Requests that change something, the lock's own excepted. */
function writesAt(lab: Lab): number {
  let writes = 0;
  for (const [request, count] of lab.proxmox.requests().byPath)
    if (!/^GET |^\w+ \S*\/pools\b/.test(request)) writes += count;
  return writes;
}

const pools = (lab: Lab) => [...lab.proxmox.pve.db.pools.values()].map((pool) => pool.id);
const APPLY = ['--lab', '--json', 'apply', '--yes'];

describe('a run that is stopped while its lock is taken away', () => {
  it.each([4, 14])('after %i events writes nothing when it goes on, and says so', async (events) => {
    const { folder, lab } = await servedFolder();
    const { child, printed, ended: end } = folder.spawn(APPLY);
    onTestFinished(() => void child.kill('SIGKILL'));
    await printed(events);
    child.kill('SIGSTOP');
    expect(pools(lab)).toEqual(['oxherd_small.lock']);
    const shown = await folder.run(['--lab', '--json', 'unlock', '--yes']);
    expect(JSON.parse(ended(shown))).toMatchObject({ unlocked: true, holder: { pid: child.pid } });
    expect(shown.stderr).toContain('waiting 10 s');
    expect(pools(lab)).toEqual([]);
    const before = writesAt(lab);
    child.kill('SIGCONT');
    const { exit, stdout, stderr } = await end;
    expect(writesAt(lab) - before).toBe(0);
    expect(exit).toBe(1);
    expect(stdout + stderr).toContain('lost the cluster lock: another run or `unlock` removed it');
    expect(stdout).toMatch(/"outcome":"failed"/);
    ended(await folder.spawn(APPLY).ended);
    expect(pools(lab)).toEqual([]);
  });
});

describe('a run that is killed', () => {
  it('leaves its lock to one of two that come at once', async () => {
    const { folder, lab } = await servedFolder();
    const killed = folder.spawn(APPLY);
    await killed.printed(6);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(pools(lab)).toEqual(['oxherd_small.lock']);
    const both = await Promise.all([folder.spawn(APPLY).ended, folder.spawn(APPLY).ended]);
    const [first, second] = both.sort((one, other) => one.exit - other.exit);
    expect(first).toMatchObject({ exit: 0 });
    // The other was refused, or came after the first had ended and found nothing to do.
    const refused = /cluster is locked by|being taken over by/.test(`${second?.stdout}${second?.stderr}`);
    expect(refused || second?.exit === 0).toBe(true);
    expect(pools(lab)).toEqual([]);
  });
});
