/** What the page does with --write, what it refuses without, and a run that fails. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterSite } from '../../support/cluster-site.js';
import {
  BROWSER,
  expectClean,
  launchBrowser,
  type OpenDashboard,
  openDashboard,
  rawClient,
  type Visit,
  visit,
} from '../../support/dashboard.js';
import { smallFile } from '../../support/small-file.js';

if (BROWSER === undefined) console.warn('skipped: no chromium on this machine, the dashboard is not opened');

let site: ClusterSite;
let dashboard: OpenDashboard;
let browser: Browser;
let look: Visit;

const memoryOf = (vmid: number) => Number(site.lab.proxmox.pve.db.vms.get(String(vmid))?.config.memory);

describe.skipIf(BROWSER === undefined)('what a page may do', () => {
  beforeAll(async () => {
    site = await ClusterSite.open(smallFile());
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    dashboard = await openDashboard(site, '--write');
    browser = await launchBrowser();
    look = await visit(browser, dashboard);
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    await site?.remove();
  });

  it('rehearses a plan on a twin, and applies the one that was shown', async () => {
    const { page, go } = look;
    site.config = smallFile({ worker: ', memory: 5GiB' });
    await go('#/1/plan');
    await page.getByRole('button', { name: 'Rehearse on a twin' }).click();
    await page.getByText('ended well').waitFor();
    await page.getByText('No invariant broken in 1 case.').waitFor();
    await expectClean(look);
    expect(memoryOf(151)).toBe(4096);
    await go('#/1/plan');
    await page.getByRole('button', { name: /^Apply plan/ }).click();
    await page.getByText('4 of 4 steps').waitFor();
    await page.getByText(/, predicted /).waitFor();
    await expectClean(look);
    expect(memoryOf(151)).toBe(5120);
  });

  it('refuses a plan that is not the one there is, and one that removes a node', async () => {
    const client = await rawClient(dashboard);
    const stale = await client.ask('/api/clusters/1/apply', { planId: '0'.repeat(64) });
    expect(stale).toMatchObject({ status: 409, text: expect.stringContaining('ui.stale-plan') });
    const spare = 'work-2: { role: worker, host: pve3, ip: 10.20.30.52, vmid: 152 }';
    site.config = smallFile({ worker: ', memory: 5GiB', nodes: [spare] });
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    site.config = smallFile({ worker: ', memory: 5GiB' });
    await client.ask('/api/clusters/1/refresh', {});
    const plan = JSON.parse((await client.ask('/api/clusters/1/plan')).text);
    expect(plan.refused).toContain('remove a node');
    const refused = await client.ask('/api/clusters/1/apply', { planId: plan.planId });
    expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('ui.refused') });
    expect(site.lab.proxmox.pve.db.vms.has('152')).toBe(true);
    expect((await site.run('apply', '--yes')).exit).toBe(0);
  });

  it('tries other numbers on a copy, and writes them where it may', async () => {
    const { page, go } = look;
    const path = join(site.folder.path, 'oxherd.yaml');
    const before = readFileSync(path, 'utf8');
    await go('#/1/capacity');
    const worker = page.getByRole('group', { name: /work-1/ });
    await worker.getByLabel('Memory').fill('6GiB');
    await page.getByRole('button', { name: 'Show what would follow' }).click();
    await page.getByText(/The plan that would follow/).waitFor();
    await expectClean(look);
    expect(readFileSync(path, 'utf8')).toBe(before);
    await page.getByRole('button', { name: 'Write to oxherd.yaml' }).click();
    await page.getByRole('button', { name: 'Write to oxherd.yaml' }).waitFor({ state: 'detached' });
    expect(readFileSync(path, 'utf8')).toBe(before.replace('memory: 5GiB', 'memory: 6GiB'));
  });

  it('shows what is wrong with numbers that no config may have, and writes none of them', async () => {
    const client = await rawClient(dashboard);
    const path = join(site.folder.path, 'oxherd.yaml');
    const before = readFileSync(path, 'utf8');
    const edits = [{ group: 'work-1', memory: '1MiB' }];
    const tried = JSON.parse((await client.ask('/api/clusters/1/what-if', { edits })).text);
    expect(tried.error.message).toContain('not valid');
    expect((await client.ask('/api/clusters/1/config', { edits, digest: tried.digest })).status).toBe(409);
    const fine = [{ group: 'work-1', memory: '7GiB' }];
    const other = await client.ask('/api/clusters/1/config', { edits: fine, digest: tried.digest });
    expect(other.text).toContain('ui.stale-config');
    for (const group of ['__proto__', 'nope', '../x'])
      expect((await client.ask('/api/clusters/1/what-if', { edits: [{ group, count: 1 }] })).status).toBe(
        409,
      );
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('shows a run that failed with what it says and how to resume', async () => {
    const { page, go } = look;
    site.lab.core.faults.set({ name: 'machine-stuck', subject: '151', countdown: null });
    await go('#/1/run');
    expect((await site.run('apply', '--yes')).exit).toBe(1);
    await page.getByRole('heading', { name: 'What failed' }).waitFor();
    await page.getByText('oxherd --lab apply', { exact: true }).waitFor();
    expect(await page.locator('.advice').count()).toBeGreaterThan(0);
    await expectClean(look);
    await go('#/');
    await page.getByRole('link', { name: /the last run failed/ }).waitFor();
    await expectClean(look);
    site.lab.core.faults.clear('machine-stuck');
  });
});
