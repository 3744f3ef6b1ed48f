/**
 * Writes the pictures of docs/dashboard.md: the dashboard of the homelab example on the embedded lab, in the browser of this
 * computer. `npm run build && npx tsx scripts/dashboard-pictures.ts`; with a folder as argument it writes there.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ClusterSite } from '../test/support/cluster-site.js';
import { launchBrowser, openDashboard, visit } from '../test/support/dashboard.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = process.argv[2] ?? join(ROOT, 'docs/pictures');
const CONFIG = readFileSync(join(ROOT, 'examples/homelab/oxherd.yaml'), 'utf8').replace(
  '  schematic: schematic.yaml\n',
  '',
);
const EDITED = CONFIG.replace('memory: 16GiB, disk: 40GiB', 'memory: 24GiB, disk: 40GiB');

type Shot = readonly [name: string, path: string, text: string, width: 1280 | 390, scheme: 'light' | 'dark'];

const SHOTS: readonly Shot[] = [
  ['map-1280-light', '#/1/map', 'Map as a table', 1280, 'light'],
  ['map-1280-dark', '#/1/map', 'Map as a table', 1280, 'dark'],
  ['map-390-light', '#/1/map', 'Map as a table', 390, 'light'],
  ['plan-390-dark', '#/1/plan', 'restarts the node', 390, 'dark'],
  ['plan-1280-light', '#/1/plan', 'restarts the node', 1280, 'light'],
  ['capacity-1280-light', '#/1/capacity', 'What if', 1280, 'light'],
];
/** After the edit was applied. */
const AFTER: readonly Shot[] = [
  ['run-1280-light', '#/1/run', 'Steps as a table', 1280, 'light'],
  ['run-390-dark', '#/1/run', 'Steps as a table', 390, 'dark'],
];

const site = await ClusterSite.open(CONFIG);
const dashboard = await openDashboard(site, '--write');
const browser = await launchBrowser();

async function take([name, path, text, width, scheme]: Shot): Promise<void> {
  const look = await visit(browser, dashboard, {
    colorScheme: scheme,
    reducedMotion: 'reduce',
    viewport: { width, height: width === 1280 ? 800 : 844 },
  });
  await look.page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await look.go(path);
  await look.page.locator('main').getByText(text).first().waitFor();
  await look.page.screenshot({ path: join(OUT, `${name}.png`), fullPage: true });
  await look.close();
  if (look.wrong.length > 0) throw new Error(look.wrong.join('\n'));
}

/** What is read from now on says so. */
async function isShown(text: string): Promise<void> {
  const look = await visit(browser, dashboard);
  await look.page.getByText(text).waitFor();
  await look.close();
}

mkdirSync(OUT, { recursive: true });
await site.run('apply', '--yes');
site.config = EDITED;
await isShown('12 steps to apply');
for (const shot of SHOTS) await take(shot);
await site.run('apply', '--yes');
await isShown('in sync');
for (const shot of AFTER) await take(shot);
await browser.close();
await dashboard.close();
await site.remove();
