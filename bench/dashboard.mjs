// Usage: node bench/dashboard.mjs [nodes] [updates]
// The dashboard with 1,000 nodes on 50 hosts in a real browser: how long until the map is drawn, and how long from the moment
// the page hears of a change until it is on the screen. The cluster is read once on the lab; every reading after that is the same
// one with other health of the nodes of one host, and every third time of all nodes. Needs chromium, and a build (npm run build).
// Wall times need an idle machine; the CPU time of the page's main thread is shown beside them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const NODES = Number(process.argv[2] ?? 1_000);
const UPDATES = Number(process.argv[3] ?? 30);
const VISITS = 5;
const LIMITS = { firstPaintMs: 1_000, updateP95Ms: 100 };
const HOSTS = Array.from({ length: 50 }, (_, index) => `pve${index + 1}`);
const built = (path) => import(new URL(`../.build/dashboard/server/${path}`, import.meta.url));
const [{ serveDashboard }, { pageAssets }, { readCluster }] = await Promise.all(
  ['serve.js', 'assets.js', 'reading.js'].map(built),
);

/** The name decides the MAC addresses: with this one no two of 1,000 nodes have the same. */
const CONFIG = `cluster: { name: herd, vip: 10.20.0.2, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.0.0/16, gateway: 10.20.255.254, dns: [10.20.255.254] }
defaults:
  all: { cores: 2, memory: 2GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.1.1, vmid: 1001 }
  work: { role: worker, count: ${NODES - 3}, hosts: [${HOSTS.join(', ')}], ip: 10.20.4.1, vmid: 2001 }
`;

const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-ui-'));
writeFileSync(join(folder, 'oxherd.yaml'), CONFIG);
const source = {
  cwd: folder,
  env: {},
  target: { kind: 'lab' },
  configPath: 'oxherd.yaml',
  command: (text) => text,
};
const first = await readCluster(source, new AbortController().signal);

/** As if every VM ran, and some nodes were not well. */
function readingWith(isIll) {
  const { status } = first;
  const vms = Object.fromEntries(
    status.nodes.map(({ vmid, host, node }) => [
      vmid,
      {
        vmid,
        host,
        name: node,
        status: 'running',
        tags: [],
        template: false,
        config: { known: false, why: '' },
      },
    ]),
  );
  return {
    ...first,
    at: Date.now(),
    status: {
      ...status,
      observed: { ...status.observed, vms: { ...status.observed.vms, ...vms } },
      nodes: status.nodes.map((row) => ({ ...row, health: isIll(row) ? 'failed' : 'ok' })),
      conditions: [],
    },
  };
}

let reading = readingWith(() => false);
const dashboard = await serveDashboard({
  sources: [source],
  assets: pageAssets(),
  version: 'bench',
  write: false,
  port: 0,
  refreshMs: 3_600_000,
  read: async () => reading,
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-proxy-server'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(60_000);
page.on('pageerror', ({ stack }) => console.error(stack));
const inspector = await page.context().newCDPSession(page);
await inspector.send('Performance.enable', { timeDomain: 'threadTicks' });
/** Milliseconds on the CPU that the page's main thread has spent. */
const cpuMs = async () => {
  const { metrics } = await inspector.send('Performance.getMetrics');
  return 1_000 * metrics.find(({ name }) => name === 'TaskDuration').value;
};
await page.goto(dashboard.url);
await page.locator('.map .dots').first().waitFor();

const drawn = `new Promise((done) => {
  const count = () => [...document.querySelectorAll('.map .dots text')].reduce((sum, { textContent }) => sum + textContent.length, 0);
  const look = () => count() >= ${NODES}
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)) : setTimeout(look, 5);
  look();
})`;
const paints = [];
for (let visit = 0; visit < VISITS; visit += 1) {
  await page.reload({ waitUntil: 'commit' });
  paints.push(await page.evaluate(drawn));
}

const updates = [];
const cpus = [];
for (let update = 0; update < UPDATES; update += 1) {
  const isAll = update % 3 === 2;
  const host = HOSTS[update % HOSTS.length];
  reading = readingWith((row) => isAll || row.host === host);
  const before = await cpuMs();
  const changed = page.evaluate(`new Promise((done) => {
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => {
        const heard = performance.getEntriesByName('oxherd-heard').at(-1);
        done(performance.now() - heard.startTime);
      }, 0));
    });
    watch.observe(document.querySelector('.map'), { childList: true, subtree: true });
    fetch('/api/clusters/1/refresh', { method: 'POST', body: '{}',
      headers: { 'content-type': 'application/json', 'x-oxherd-token': sessionStorage.getItem('oxherd-token') } });
  })`);
  updates.push(await changed);
  cpus.push((await cpuMs()) - before);
}
await browser.close();
await dashboard.close();
rmSync(folder, { recursive: true, force: true });

const sorted = (values) => [...values].sort((a, b) => a - b);
const p95 = (values) => Math.round(sorted(values)[Math.ceil(values.length * 0.95) - 1]);
const firstPaintMs = Math.round(sorted(paints)[Math.floor(VISITS / 2)]);
const [updateP95Ms, updateCpuP95Ms] = [p95(updates), p95(cpus)];
console.table([
  { nodes: NODES, hosts: HOSTS.length, firstPaintMs, updateP95Ms, updateCpuP95Ms, updates: updates.length },
]);
console.log(
  JSON.stringify({
    bench: 'dashboard',
    nodes: NODES,
    firstPaintMs,
    updateP95Ms,
    updateCpuP95Ms,
    limits: LIMITS,
  }),
);
process.exitCode = firstPaintMs < LIMITS.firstPaintMs && updateP95Ms < LIMITS.updateP95Ms ? 0 : 1;
