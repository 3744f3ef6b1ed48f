/** Writes the pages of docs/ as a static site: `npm run site`, or `npx tsx scripts/build-site.ts [FOLDER]`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSite } from './site/site.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, 'site'));
const { files, dead } = buildSite(root);
for (const link of dead) console.error(`dead link in ${link}`);
if (dead.length > 0) process.exit(1);
rmSync(folder, { recursive: true, force: true });
for (const [name, content] of files) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}
console.log(`${files.size} files in ${folder}`);
