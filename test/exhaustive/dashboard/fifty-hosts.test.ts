/** Fifty hosts: the hosts first, then one of them; no label is clipped, and nothing is slow to use. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterSite } from '../../support/cluster-site.js';
import {
  BROWSER,
  expectClean,
  launchBrowser,
  type OpenDashboard,
  openDashboard,
  visit,
} from '../../support/dashboard.js';

if (BROWSER === undefined) console.warn('skipped: no chromium on this machine, the dashboard is not opened');

const HOSTS = Array.from({ length: 50 }, (_, index) => `pve${index + 1}`);
const CONFIG = `cluster: { name: large, vip: 10.20.0.2, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.0.0/16, gateway: 10.20.255.254, dns: [10.20.255.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp: { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.1.1, vmid: 1001 }
  work: { role: worker, count: 150, hosts: [${HOSTS.join(', ')}], ip: 10.20.2.1, vmid: 2001 }
`;

/** Runs in the page: labels that stand out of their box. */
const CLIPPED = `[...document.querySelectorAll('.map text')].filter((text) => {
  const a = text.getBoundingClientRect(), b = text.parentElement.querySelector('rect, path').getBoundingClientRect();
  return a.left < b.left - 0.5 || a.right > b.right + 0.5 || a.top < b.top - 0.5 || a.bottom > b.bottom + 0.5;
}).map((text) => text.textContent)`;

let site: ClusterSite;
let dashboard: OpenDashboard;
let browser: Browser;

describe.skipIf(BROWSER === undefined)('fifty hosts', () => {
  beforeAll(async () => {
    // Nothing was applied: the map shows what is designed, and that no VM is there yet.
    site = await ClusterSite.open(CONFIG);
    dashboard = await openDashboard(site);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    await site?.remove();
  });

  it.each([1280, 390])('are readable %i pixels wide, and one is opened', async (width) => {
    const look = await visit(browser, dashboard, { viewport: { width, height: 900 } });
    const { page } = look;
    await page.getByRole('button', { name: /^host pve50,/ }).waitFor();
    expect(await page.getByRole('button', { name: /^host pve\d/ }).count()).toBe(50);
    expect(await page.evaluate(CLIPPED)).toEqual([]);
    await expectClean(look);
    await page.getByRole('button', { name: /^host pve17,/ }).click();
    await page.getByRole('button', { name: /^node work-17,/ }).waitFor();
    expect(await page.evaluate(CLIPPED)).toEqual([]);
    await expectClean(look);
    await look.go('#/1/plan');
    await page
      .getByRole('heading', { name: /work-1 … work-150/ })
      .first()
      .waitFor();
    await expectClean(look);
    await look.close();
  });
});
