/** The dashboard in a real browser: first visit, the plan of an edit, and a run of another terminal followed to its end. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClusterSite } from '../support/cluster-site.js';
import {
  BROWSER,
  expectClean,
  launchBrowser,
  type OpenDashboard,
  openDashboard,
  rawClient,
  secretsOf,
  type Visit,
  visit,
} from '../support/dashboard.js';
import { smallFile } from '../support/small-file.js';

if (BROWSER === undefined) console.warn('skipped: no chromium on this machine, the dashboard is not opened');

let site: ClusterSite;
let dashboard: OpenDashboard;
let browser: Browser;
let first: Visit;

describe.skipIf(BROWSER === undefined)('the dashboard in a browser', () => {
  beforeAll(async () => {
    site = await ClusterSite.open(smallFile());
    const { exit, stderr } = await site.run('apply', '--yes');
    expect({ exit, stderr }).toMatchObject({ exit: 0 });
    dashboard = await openDashboard(site);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    await site?.remove();
  });

  it('lets the browser in by its address, shows the map, and forgets the token in the address bar', async () => {
    first = await visit(browser, dashboard);
    const { page } = first;
    await page.getByRole('button', { name: 'node cp-1, control plane, running, ok' }).waitFor();
    expect(await page.getByRole('button', { name: /^host pve/ }).count()).toBe(3);
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByRole('button', { name: /node work-1/ }).press('Enter');
    await page.getByRole('heading', { name: 'work-1' }).waitFor();
    await expectClean(first);
  });

  it('shows the plan of an edit, with its downtime and its command, and only reads', async () => {
    const { page, go } = first;
    await go('#/1/plan');
    await page.getByRole('heading', { name: 'No changes.' }).waitFor();
    site.config = smallFile({ worker: ', memory: 5GiB' });
    await page.getByText('memory 4GiB → 5GiB').first().waitFor();
    expect(await page.getByText('oxherd --lab apply', { exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: /Apply plan/ }).count()).toBe(0);
    await expectClean(first);
  });

  it('follows a run of another terminal to its end, and holds no secret', async () => {
    const { page, go, bodies } = first;
    const heard = await (await rawClient(dashboard)).listen();
    await go('#/1/run');
    const running = site.run('apply', '--yes');
    await page.getByText(/of 4 steps/).waitFor();
    expect((await running).exit).toBe(0);
    await page.getByText('4 of 4 steps').waitFor();
    await page.getByRole('button', { name: /Quorum as a table/ }).waitFor();
    await expectClean(first);
    const secrets = secretsOf(site);
    expect(secrets.length).toBeGreaterThan(8);
    expect(bodies.length).toBeGreaterThan(8);
    expect(heard.text()).toContain('"type":"run-ended"');
    const shown = secrets.filter((secret) => [...bodies, heard.text()].some((text) => text.includes(secret)));
    expect(shown).toEqual([]);
  });

  it('ends with Ctrl-C', async () => {
    await first.close();
    expect(await dashboard.close()).toBe(0);
  });
});
