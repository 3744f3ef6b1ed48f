/** Every page in every colour and width: nothing that a screen reader or a keyboard cannot use, nothing that overflows. */
import type { Browser, Page } from 'playwright-core';
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
import { smallFile } from '../../support/small-file.js';

if (BROWSER === undefined) console.warn('skipped: no chromium on this machine, the dashboard is not opened');

const PAGES: readonly (readonly [path: string, text: string | RegExp])[] = [
  ['#/1/map', '3 hosts, 2 nodes'],
  ['#/1/map/pve2', 'Host as a table'],
  ['#/1/map/pve2/work-1', 'Versions'],
  ['#/1/plan', 'restarts the node'],
  ['#/1/run', 'Downtime'],
  ['#/1/health', 'By layer'],
  ['#/1/volumes', 'work-1/data'],
  ['#/1/upgrade', 'Every node runs these versions.'],
  ['#/1/capacity', 'What if'],
  ['#/1/history', /^1 run$/],
  ['#/1/rehearsal', 'not started'],
];

let site: ClusterSite;
let dashboard: OpenDashboard;
let browser: Browser;

/** Nothing has the focus if the body has it: its text is everything that is shown. */
const FOCUSED = `(({ activeElement: one, body }) =>
  one === body ? '' : (one.getAttribute('aria-label') ?? one.textContent))(document)`;

/** Enter, and what has the focus before the browser takes the next key. */
const IN_ONE_STROKE = `(async () => {
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  await Promise.resolve().then(() => {}).then(() => {}).then(() => {});
  globalThis.focusAfterEnter = ${FOCUSED};
})()`;

function keyboardOf(page: Page) {
  const focused = async () => String(await page.evaluate(FOCUSED));
  const until = async (name: string) => {
    for (let keys = 0; keys < 60; keys += 1) {
      await page.keyboard.press('Tab');
      if ((await focused()).includes(name)) return;
    }
    throw new Error(`${name} is not reached with Tab`);
  };
  return { focused, until };
}

describe.skipIf(BROWSER === undefined)('pages of the dashboard', () => {
  beforeAll(async () => {
    site = await ClusterSite.open(smallFile());
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    // A plan to look at, and a change made outside oxherd.
    site.config = smallFile({ worker: ', memory: 5GiB' });
    dashboard = await openDashboard(site);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    await site?.remove();
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('%s, %i pixels wide: axe finds nothing, nothing overflows', async (colorScheme, width) => {
    const look = await visit(browser, dashboard, { colorScheme, viewport: { width, height: 800 } });
    const { page, go } = look;
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    const all = (colorScheme === 'light') === (width === 1280);
    for (const [path, text] of all ? PAGES : PAGES.slice(0, 5)) {
      await go(path);
      await page.locator('main').getByText(text).first().waitFor();
      for (const twin of await page.getByRole('button', { name: /as a table$/ }).all()) await twin.click();
      await expectClean(look);
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect({ path, wide }).toEqual({ path, wide: 0 });
    }
    await look.close();
  });

  it('is used by keyboard alone, and each picture has its table', async () => {
    const look = await visit(browser, dashboard);
    const { page } = look;
    await page.getByRole('button', { name: /^host pve1/ }).waitFor();
    const { focused, until } = keyboardOf(page);
    await until('Skip to the content');
    await until('host pve2');
    // The host is drawn again, and what had the focus has it still.
    site.config = smallFile({ worker: ', memory: 5GiB, cores: 7' });
    await page.getByText('7 vCPU').first().waitFor();
    expect(await focused()).toContain('host pve2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'pve2' }).waitFor();
    await until('node work-1');
    await page.keyboard.press(' ');
    await page.getByRole('heading', { name: 'work-1' }).waitFor();
    await page.goBack();
    await until('Host as a table');
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    expect(await page.getByRole('cell', { name: 'work-1' }).count()).toBe(1);
    expect(look.wrong).toEqual([]);
    await look.close();
  });

  it('never loses the focus when the page is replaced or redrawn', async () => {
    const look = await visit(browser, dashboard);
    const { page } = look;
    await page.getByRole('button', { name: /^host pve1/ }).waitFor();
    const { focused, until } = keyboardOf(page);
    await until('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('3 hosts, 2 nodes');
    // Keys that are pressed in one stroke find the page that the key before them has opened.
    await until('host pve2');
    await page.evaluate(IN_ONE_STROKE);
    expect(await page.evaluate('focusAfterEnter')).toBe('pve2');
    await until('node work-1');
    site.config = smallFile({ worker: ', memory: 5GiB, cores: 9' });
    await page.getByText('9 vCPU').first().waitFor();
    expect(await focused()).toContain('node work-1');
    // While the page has no map, as during a failed read, the focus waits at the heading.
    await page.evaluate(`globalThis.card = document.querySelector('main .card');
      globalThis.gap = document.createComment(''); card.replaceWith(gap)`);
    expect(await focused()).toBe('small');
    await page.evaluate('gap.replaceWith(card)');
    await page.getByRole('button', { name: /^node work-1/ }).waitFor();
    expect(await focused()).toContain('node work-1');
    await page.keyboard.press(' ');
    await page.getByRole('heading', { name: 'work-1' }).waitFor();
    expect(await focused()).toBe('work-1');
    await page.goBack();
    await page.getByRole('heading', { name: 'pve2' }).waitFor();
    expect(await focused()).toBe('pve2');
    await look.close();
  });

  it('moves nothing where less motion is asked for', async () => {
    const look = await visit(browser, dashboard, { reducedMotion: 'reduce' });
    await look.page.getByRole('button', { name: /^host pve1/ }).waitFor();
    const moving = await look.page.evaluate('document.getAnimations().length');
    expect(moving).toBe(0);
    await look.close();
  });
});
