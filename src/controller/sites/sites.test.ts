import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../model/clock.js';
import { LookGate } from './look-gate.js';
import { RequestPace } from './request-pace.js';
import { sameProxmox } from './same-proxmox.js';
import { SiteBook } from './site-book.js';
import { changesBetween, sightOf } from './site-changes.js';

/** Sleepers wake in order when time passes. */
class ManualTime implements Clock {
  #now = 0;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  now = () => this.#now;
  elapsed = () => this.#now;
  sleep = (ms: number) =>
    new Promise<void>((wake) => {
      this.#sleepers.push({ at: this.#now + ms, wake });
    });

  async until(end: number): Promise<void> {
    for (;;) {
      await new Promise(setImmediate);
      const [next] = this.#sleepers.sort((a, b) => a.at - b.at);
      if (!next || next.at > end) break;
      this.#sleepers.shift();
      this.#now = next.at;
      next.wake();
    }
    this.#now = end;
  }
}

const limits = { concurrentClusters: 4, disruptiveRuns: 1, requestsPerSecond: 30 };
const spec = { endpoints: ['https://a:8006'], tokenSecretRef: { name: 'a' }, allowedNamespaces: [], limits };

describe('the pace of a site', () => {
  it('never lets more through in any second than its limit, and wastes little of it', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 5, max: 80 }),
      fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 200 }),
      async (limit, starts) => {
        const time = new ManualTime();
        const pace = new RequestPace(time, limit);
        const left: number[] = [];
        for (const start of starts)
          void time
            .sleep(start)
            .then(() => pace.turn())
            .then(() => left.push(time.elapsed()));
        await time.until(200_000);
        expect(left).toHaveLength(starts.length);
        for (const from of left)
          expect(left.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(limit);
        expect(Math.max(...left)).toBeLessThanOrEqual(2_000 + (starts.length / limit) * 1_250 + 1_000);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it('is shared by the replicas, and follows a changed limit', async () => {
    const time = new ManualTime();
    const book = new SiteBook(time, new AbortController().signal);
    const passed = async (seconds: number, perSecond: number) => {
      const { pace } = book.trafficOf(
        { name: 'rack', spec: { ...spec, limits: { ...limits, requestsPerSecond: perSecond } } },
        false,
      );
      let count = 0;
      for (let index = 0; index < 500; index += 1) void pace().then(() => (count += 1));
      await time.until(time.elapsed() + seconds * 1_000);
      const seen = count;
      await time.until(time.elapsed() + 1e9);
      return seen;
    };
    book.shareAmong(3);
    const third = await passed(10, 30);
    expect(third).toBeGreaterThan(75);
    expect(third).toBeLessThanOrEqual(100);
    book.shareAmong(1);
    expect(await passed(10, 30)).toBeGreaterThan(235);
    expect(await passed(10, 5)).toBeLessThanOrEqual(50);
  });
});

describe('the use of a site', () => {
  it('is what all replicas asked in the last whole minute', async () => {
    const time = new ManualTime();
    const told: string[] = [];
    const book = new SiteBook(time, new AbortController().signal, (site) => told.push(site));
    const { pace } = book.trafficOf({ name: 'rack', spec }, false);
    for (let second = 0; second < 120; second += 1) {
      await time.until(second * 1_000);
      await pace();
    }
    await time.until(120_000);
    expect(book.ownUse).toEqual({ rack: 60 });
    expect(told).toHaveLength(120);
    book.heard(
      new Map([
        ['rack', 30],
        ['other', 5],
      ]),
    );
    expect([book.useOf('rack'), book.useOf('other'), book.useOf('none')]).toEqual([90, 5, 0]);
    await time.until(200_000);
    expect(book.ownUse).toEqual({});
  });
});

describe('sites of one Proxmox', () => {
  const site = (name: string, created: string, endpoint: string, ...prints: string[]) => ({
    name,
    created,
    endpoints: [endpoint],
    hosts: prints.map((fingerprint, index) => ({ name: `pve${index + 1}`, fingerprint })),
    sameAs: undefined,
    asked: true,
    reachable: true,
  });

  it('are known by an endpoint or by a certificate of a host, over others too; the oldest stands for all', () => {
    const sites = [
      site('a', '2026-01-03', 'https://a:8006', 'AA', 'BB'),
      site('b', '2026-01-02', 'https://b:8006', 'XX', 'BB'),
      site('c', '2026-01-01', 'https://B:8006'),
      site('d', '2026-01-01', 'https://d:8006', 'BB', 'AA'),
    ];
    expect(sameProxmox('a', sites)).toEqual({ first: 'c', others: ['b', 'c'] });
    expect(sameProxmox('c', sites)).toEqual({ first: 'c', others: ['a', 'b'] });
    // Hosts of other names may have the same certificate.
    expect(sameProxmox('d', sites)).toEqual({ first: 'd', others: [] });
    expect(sameProxmox('e', sites)).toEqual({ first: 'e', others: [] });
  });
});

describe('looks', () => {
  it('are five at a time, two of one site', async () => {
    const gate = new LookGate();
    const inside: string[] = [];
    const leaves: (() => void)[] = [];
    for (const site of 'abcdef')
      for (let index = 0; index < 4; index += 1)
        void gate.enter(site).then((leave) => {
          inside.push(site);
          leaves.push(leave);
        });
    await new Promise(setImmediate);
    expect(inside.join('')).toBe('aabbc');
    leaves[0]?.();
    await new Promise(setImmediate);
    expect(inside.join('')).toBe('aabbcc');
  });
});

describe('VMs of others', () => {
  it('are remembered by looks for half an hour at most, and never by whoever writes', async () => {
    const time = new ManualTime();
    const book = new SiteBook(time, new AbortController().signal);
    let asked = 0;
    const read = (site = 'rack') =>
      book.trafficOf({ name: site, spec }, false).outsiders?.read('pve1/qemu/100', async () => {
        asked += 1;
        return [];
      });
    await Promise.all([read(), read(), read()]);
    await read();
    expect(asked).toBe(1);
    await read('other');
    expect(asked).toBe(2);
    expect(book.trafficOf({ name: 'rack', spec }, true)).not.toHaveProperty('outsiders');
    await time.until(15 * 60_000 - 1);
    await read();
    expect(asked).toBe(2);
    await time.until(30 * 60_000);
    await read();
    expect(asked).toBe(3);
  });

  it('are asked for again by those who waited for one that was stopped', async () => {
    const book = new SiteBook(new ManualTime(), new AbortController().signal);
    const { outsiders } = book.trafficOf({ name: 'rack', spec }, false);
    const stopped = outsiders?.read('pve1/qemu/100', () => Promise.reject(new Error('stopped')));
    const waits = outsiders?.read('pve1/qemu/100', async () => []);
    await expect(stopped).rejects.toThrow('stopped');
    expect(await waits).toEqual([]);
  });
});

describe('what changed on a site', () => {
  const vm = {
    vmid: 141,
    node: 'pve1',
    name: 'cp-1',
    status: 'running',
    tags: ['oxherd-a'],
    template: false,
    lock: undefined,
    cpus: 2,
    memory: 4,
  };
  const hosts = [
    { node: 'pve1', online: true },
    { node: 'pve2', online: true },
  ];
  const before = sightOf({ hosts, vms: [vm, { ...vm, vmid: 200, tags: ['oxherd-b'] }] });
  const changed = (change: Partial<typeof vm>) =>
    changesBetween(
      before,
      sightOf({
        hosts,
        vms: [
          { ...vm, ...change },
          { ...vm, vmid: 200, tags: ['oxherd-b'] },
        ],
      }),
    );

  it('is nothing while all is as it was, in whatever order', () => {
    const again = sightOf({ hosts: hosts.toReversed(), vms: [{ ...vm, vmid: 200, tags: ['oxherd-b'] }, vm] });
    expect(changesBetween(before, again)).toEqual({ tags: new Set(), hosts: new Set() });
  });

  it.each([
    { node: 'pve2' },
    { status: 'stopped' },
    { memory: 8 },
    { cpus: 4 },
    { name: 'x' },
    { template: true },
    { vmid: 142 },
  ])('is told by the tags of the VM: %o', (change) => {
    expect([...changed(change).tags]).toEqual(['oxherd-a']);
  });

  it('is told by the tags before and after, and by hosts that fail', () => {
    expect([...changed({ tags: ['oxherd-c'] }).tags].sort()).toEqual(['oxherd-a', 'oxherd-c']);
    const failed = sightOf({ hosts: [{ node: 'pve1', online: false }], vms: [vm] });
    expect([...changesBetween(before, failed).hosts].sort()).toEqual(['pve1', 'pve2']);
  });
});
