// Usage: node bench/dashboard.mjs [nodes] [updates]
// The dashboard with 1,000 nodes on 50 hosts in a real browser: how long until the map is drawn, and how long a change takes.
// Needs chromium, and a build (npm run build). Nothing is applied: the map shows what is designed and that no VM exists.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const NODES = Number(process.argv[2] ?? 1_000);
const UPDATES = Number(process.argv[3] ?? 12);
const LIMITS = { firstPaintMs: 1_000, updateP95Ms: 100 };
const HOSTS = Array.from({ length: 50 }, (_, index) => `pve${index + 1}`);
const MAIN = fileURLToPath(new URL('../dist/bin/oxherd.js', import.meta.url));

/** The name decides the MAC addresses: with this one no two of 1,000 nodes have the same. */
function config(memory) {
  return `cluster: { name: herd, vip: 10.20.0.2, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.0.0/16, gateway: 10.20.255.254, dns: [10.20.255.254] }
defaults:
  all: { cores: 2, memory: ${memory}GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.1.1, vmid: 1001 }
  work: { role: worker, count: ${NODES - 3}, hosts: [${HOSTS.join(', ')}], ip: 10.20.4.1, vmid: 2001 }
`;
}

const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-ui-'));
const file = join(folder, 'oxherd.yaml');
writeFileSync(file, config(2));
const server = spawn(process.execPath, [MAIN, '--lab', 'ui', '--json', '--refresh', '3600'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const { url, port } = await new Promise((done) => {
  server.stdout.setEncoding('utf8').once('data', (text) => done(JSON.parse(text)));
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-proxy-server'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(900_000);
await page.goto(url);
// The first reading of the cluster is none of the page's business.
await page.locator('.map .dot').first().waitFor();

const drawn = `new Promise((done) => {
  const look = () => document.querySelectorAll('.map .dot').length >= ${NODES}
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)) : setTimeout(look, 5);
  look();
})`;
const paints = [];
for (let visit = 0; visit < 5; visit += 1) {
  await page.reload({ waitUntil: 'commit' });
  paints.push(await page.evaluate(drawn));
}

const updates = [];
for (let update = 0; update < UPDATES; update += 1) {
  // From the moment the page hears of the change: it asks for the view at once, and the time of that request is known.
  const changed = page.evaluate(`new Promise((done) => {
    const map = document.querySelector('.drawing');
    const before = performance.getEntriesByType('resource').length;
    const watch = new MutationObserver(() => {
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => {
        const asked = performance.getEntriesByType('resource').slice(before)
          .filter(({ name }) => name.endsWith('/api/clusters/1')).at(-1);
        done(performance.now() - asked.startTime);
      }, 0));
    });
    watch.observe(map, { childList: true, subtree: true });
  })`);
  writeFileSync(file, config(update % 2 === 0 ? 3 : 2));
  await page.evaluate(`fetch('/api/clusters/1/refresh', { method: 'POST', body: '{}',
    headers: { 'content-type': 'application/json', 'x-oxherd-token': sessionStorage.getItem('oxherd-token') } })`);
  updates.push(await changed);
}
await browser.close();
server.kill('SIGINT');
rmSync(folder, { recursive: true, force: true });

const sorted = (values) => [...values].sort((a, b) => a - b);
const firstPaintMs = Math.round(sorted(paints)[2]);
const updateP95Ms = Math.round(sorted(updates)[Math.ceil(updates.length * 0.95) - 1]);
console.table([
  { nodes: NODES, hosts: HOSTS.length, firstPaintMs, updateP95Ms, updates: updates.length, port },
]);
console.log(JSON.stringify({ bench: 'dashboard', nodes: NODES, firstPaintMs, updateP95Ms, limits: LIMITS }));
process.exitCode = firstPaintMs < LIMITS.firstPaintMs && updateP95Ms < LIMITS.updateP95Ms ? 0 : 1;
