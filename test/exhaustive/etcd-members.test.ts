/** Members of etcd are known by what they are, not by the name or tag of a VM, and none is forgotten. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliFolder, ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd } from '../support/herd.js';
import { destroyVm, etcdOf, memberOf } from '../support/recovery.js';
import { changes, expectNothingToDo } from '../support/rolling.js';

const HERD = { controlPlanes: 3, workers: 1 };
const FILE = herd(HERD);
const SINGLE = herd({ ...HERD, volumes: {}, disk: '16GiB' }).replace('  all: {', '  all: { layout: single,');
const CONFIRM = ['--confirm', 'herd'];
const BUILD_MS = 300_000;

const folders = new Map<string, CliFolder>();
const opened: ClusterSite[] = [];
beforeAll(async () => {
  for (const file of [FILE, SINGLE]) {
    const built = await ClusterSite.open(file);
    ended(await built.run('apply', '--yes'));
    folders.set(file, await built.close());
  }
  return () => {
    for (const folder of folders.values()) folder.remove();
  };
}, BUILD_MS);
afterEach(async () => {
  for (const site of opened.splice(0)) await site.remove();
});

async function open(file = FILE): Promise<ClusterSite> {
  const site = await ClusterSite.open(file, folders.get(file)?.copy());
  opened.push(site);
  return site;
}

const names = (site: ClusterSite) =>
  etcdOf(site)
    .members.map(({ name }) => name)
    .sort();

const without = (file: string, ...nodes: string[]) =>
  file
    .split('\n')
    .filter((line) => !nodes.some((node) => line.startsWith(`  ${node}:`)))
    .join('\n');

const set = (site: ClusterSite, host: string, vmid: number, options: Record<string, string>) =>
  site.byHand((hand) => hand.updateVm(host, vmid, { set: options }));

const stop = (site: ClusterSite, host: string, vmid: number) =>
  site.byHand((hand) => hand.runTask(() => hand.stopVm(host, vmid)));

async function tagsWithout(site: ClusterSite, host: string, vmid: number, tag: string): Promise<string> {
  const { entries } = await site.byHand((hand) => hand.vmPending(host, vmid));
  return (entries.tags?.value ?? '')
    .split(';')
    .filter((one) => one !== tag)
    .join(';');
}

describe('a control plane that leaves oxherd.yaml', () => {
  it('leaves etcd whatever name its VM was given in Proxmox', async () => {
    const site = await open();
    await set(site, 'pve2', 142, { name: 'spare-1' });
    await set(site, 'pve3', 143, { name: 'spare-2' });
    await changes(site, herd({ ...HERD, controlPlanes: 1 }));
    expect(names(site)).toEqual(['cp-1']);
  });

  it('leaves etcd though its VM was renamed and is off', async () => {
    const site = await open();
    await stop(site, 'pve3', 143);
    await set(site, 'pve3', 143, { name: 'spare-2' });
    await changes(site, herd({ ...HERD, controlPlanes: 2 }));
    expect(names(site)).toEqual(['cp-1', 'cp-2']);
  });

  it('leaves etcd though its VM has lost the tag of its role', async () => {
    const site = await open();
    for (const [host, vmid] of [
      ['pve2', 142],
      ['pve3', 143],
    ] as const)
      await set(site, host, vmid, { tags: await tagsWithout(site, host, vmid, 'control-plane') });
    await changes(site, herd({ ...HERD, controlPlanes: 1 }));
    expect(names(site)).toEqual(['cp-1']);
  });

  it('that is dead leaves before one that is alive, so that the quorum holds', async () => {
    const site = await open();
    await stop(site, 'pve3', 143);
    await changes(site, herd({ ...HERD, controlPlanes: 1 }));
    expect(names(site)).toEqual(['cp-1']);
  });

  it('with the layout single leaves etcd and stays off, and its VM may then be destroyed', async () => {
    const site = await open(SINGLE);
    site.config = without(SINGLE, 'cp-3');
    ended(await site.run('apply', '--yes'));
    expect(names(site)).toEqual(['cp-1', 'cp-2']);
    const plan = await site.run('plan');
    expect(plan.stdout).toMatch(/qm destroy 143/);
    await destroyVm(site, 'pve3', 143);
    await expectNothingToDo(site);
    expect((await site.run('status')).exit).toBe(0);
  });

  it('with the layout single is not forgotten when its VM was destroyed first', async () => {
    const site = await open(SINGLE);
    await destroyVm(site, 'pve3', 143);
    await changes(site, without(SINGLE, 'cp-3'));
    expect(names(site)).toEqual(['cp-1', 'cp-2']);
    expect((await site.run('status')).exit).toBe(0);
  });
});

describe('a dead control plane that is replaced under its name with another VM', () => {
  const replaced = (name: string) =>
    FILE.replace(
      /^ {2}cp-2:.*$/m,
      `  ${name}: { role: controlplane, host: pve2, ip: 10.20.30.45, vmid: 145 }`,
    );
  const stopped = (site: ClusterSite) => stop(site, 'pve2', 142);
  const renamed = async (site: ClusterSite) => {
    await stopped(site);
    await set(site, 'pve2', 142, { name: 'spare-1' });
    await set(site, 'pve2', 1420, { name: 'spare-1-data' });
  };

  it.each([
    ['its VM is gone', 'cp-2', (site: ClusterSite) => destroyVm(site, 'pve2', 142)],
    ['its VM has another name', 'cp-2', renamed],
    ['the domain differs', 'cp-2.home', stopped],
  ])('keeps the member and the Node object of the new one: %s', async (_what, name, dies) => {
    const site = await open();
    const { id } = etcdOf(site);
    const old = memberOf(site, 'cp-2');
    await dies(site);
    await changes(site, replaced(name));
    expect(etcdOf(site).id).toBe(id);
    expect(names(site)).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(memberOf(site, 'cp-2')).not.toBe(old);
    expect((await site.run('status')).exit).toBe(0);
  });

  it('is refused while the old one is a healthy member', async () => {
    const site = await open();
    const before = etcdOf(site).members;
    await set(site, 'pve2', 142, { name: 'spare-1' });
    await set(site, 'pve2', 1420, { name: 'spare-1-data' });
    site.config = replaced('cp-2');
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/VM 142 runs as cp-2 and is member/);
    expect(etcdOf(site).members).toEqual(before);
  });
});

describe('a note that a member was removed', () => {
  it('resets nothing while the member is in the list of etcd', async () => {
    const site = await open();
    const before = etcdOf(site).members;
    const { entries } = await site.byHand((hand) => hand.vmPending('pve3', 1430));
    const id = BigInt(memberOf(site, 'cp-3') ?? 0).toString(16);
    const noted = (entries.description?.value ?? '').replace(/^etcd member$/m, `etcd removed ${id}`);
    expect(noted).toContain(`etcd removed ${id}`);
    await set(site, 'pve3', 1430, { description: noted });
    const shown = ended(await site.run('apply', '--yes'));
    expect(shown).not.toMatch(/create new disk|remove member/);
    expect(etcdOf(site).members).toEqual(before);
    await expectNothingToDo(site);
  });
});

describe('control planes that left oxherd.yaml and are off', () => {
  const OTHERS = FILE.replace(
    /^ {2}cp-(\d): .*$/gm,
    (_line, n) => `  ox-${n}: { role: controlplane, host: pve${n}, ip: 10.20.30.6${n}, vmid: 16${n} }`,
  );

  it('keep etcd from being bootstrapped beside them', async () => {
    const site = await open();
    const { id } = etcdOf(site);
    for (const n of [1, 2, 3]) await stop(site, `pve${n}`, 140 + n);
    site.config = OTHERS;
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/cp-1 .*cp-2 .*cp-3/);
    expect(site.etcd.map((one) => one.id)).toEqual([id]);
    // The way back: the old nodes beside the new ones, then without the old ones.
    site.config = FILE;
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
    await changes(site, OTHERS);
    expect(etcdOf(site).id).toBe(id);
    expect(names(site)).toEqual(['ox-1', 'ox-2', 'ox-3']);
  });

  it('are given up by --fresh, which names them', async () => {
    const site = await open();
    for (const n of [1, 2, 3]) await stop(site, `pve${n}`, 140 + n);
    site.config = OTHERS;
    const shown = ended(await site.run('apply', '--fresh', ...CONFIRM));
    expect(shown).toMatch(/cp-1 .*cp-2 .*cp-3/);
    expect(names(site)).toEqual(['ox-1', 'ox-2', 'ox-3']);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });
});
