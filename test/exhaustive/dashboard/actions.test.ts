/** What the page does with --write, what it refuses without, and a run that fails. */
import { readFileSync, writeFileSync } from 'node:fs';
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

/** The text of what has the focus. */
const focused = () => look.page.evaluate('document.activeElement.textContent.trim()');

/** A refusal is an error in the console of the browser, and nothing else is. */
async function expectRefused({ page, wrong }: Visit): Promise<void> {
  expect(wrong.splice(0).filter((line) => !line.includes('409'))).toEqual([]);
  await expectClean({ page, wrong } as Visit);
}

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
    const opener = page.getByRole('button', { name: /^Apply plan/ });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'Apply this plan?' });
    await dialog.getByText('memory', { exact: false }).first().waitFor();
    await expectClean(look);
    // The answer is no until someone says yes, and Escape is a no.
    expect(await focused()).toBe('Cancel');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused()).toMatch(/^Apply plan/);
    expect(memoryOf(151)).toBe(4096);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(memoryOf(151)).toBe(4096);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Tab');
    expect(await focused()).toMatch(/^Apply plan/);
    await page.keyboard.press('Enter');
    await page.getByText('4 of 4 steps').waitFor();
    await page.getByText(/, predicted /).waitFor();
    await expectClean(look);
    expect(memoryOf(151)).toBe(5120);
  });

  it('applies nothing without the answers that the command line asks for', async () => {
    const client = await rawClient(dashboard);
    // The only control plane: its restart is an outage.
    site.config = smallFile({ cp: ', memory: 5GiB', worker: ', memory: 5GiB' });
    await client.ask('/api/clusters/1/refresh', {});
    const { planId, confirmation } = JSON.parse((await client.ask('/api/clusters/1/plan')).text);
    expect(confirmation).toEqual({
      question: 'Apply this plan?',
      outage: 'The Kubernetes API will be unavailable while cp-1 restarts.',
      rehearsal: false,
    });
    const { question, outage } = confirmation;
    for (const answer of [
      undefined,
      { planId, confirmed: [] },
      { planId, confirmed: [question] },
      { planId, confirmed: [outage] },
      { planId: '0'.repeat(64), confirmed: [question, outage] },
      { planId, confirmed: [question, 'The Kubernetes API will be unavailable while cp-2 restarts.'] },
    ]) {
      const refused = await client.ask('/api/clusters/1/apply', { planId, ...(answer && { answer }) });
      expect(refused).toMatchObject({ status: 409, text: expect.stringContaining('ui.unconfirmed') });
    }
    expect(memoryOf(141)).toBe(4096);
    const { page, go } = look;
    await go('#/1/plan');
    await page.getByRole('button', { name: /^Apply plan/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(outage).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectClean(look);
    const width = await page.evaluate("document.querySelector('dialog').getBoundingClientRect().right");
    expect(width).toBeLessThanOrEqual(390);
    await dialog.getByRole('button', { name: /^Apply plan/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('4 of 4 steps').waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(memoryOf(141)).toBe(5120);
    site.config = smallFile({ worker: ', memory: 5GiB' });
    await client.ask('/api/clusters/1/refresh', {});
    expect((await site.run('apply', '--yes')).exit).toBe(1);
    site.config = smallFile({ worker: ', memory: 5GiB', more: 'policy: { outage: allow }\n' });
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    site.config = smallFile({ worker: ', memory: 5GiB' });
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
    const write = page.getByRole('button', { name: 'Write to oxherd.yaml' });
    const dialog = page.getByRole('dialog', { name: 'Write these lines to oxherd.yaml?' });
    await write.click();
    await dialog.getByText('memory: 6GiB').waitFor();
    await expectClean(look);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(readFileSync(path, 'utf8')).toBe(before);
    // What someone else writes meanwhile is not overwritten.
    await write.click();
    writeFileSync(path, `${before}# of someone else\n`);
    await dialog.getByRole('button', { name: 'Write these lines' }).click();
    await dialog.getByText('has changed since it was shown').waitFor();
    await expectRefused(look);
    expect(readFileSync(path, 'utf8')).toBe(`${before}# of someone else\n`);
    writeFileSync(path, before);
    await dialog.getByRole('button', { name: 'Write these lines' }).click();
    await dialog.waitFor({ state: 'detached' });
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
    const unconfirmed = await client.ask('/api/clusters/1/config', { edits: fine });
    expect(unconfirmed).toMatchObject({ status: 409, text: expect.stringContaining('ui.unconfirmed') });
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
