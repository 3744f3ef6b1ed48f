/** Writes docs/troubleshooting.md: `npx tsx scripts/generate-troubleshooting.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { entriesOf, troubleshootingPage } from './troubleshooting/page.js';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

const entries = entriesOf(at('src'));
writeFileSync(at('docs/troubleshooting.md'), troubleshootingPage(entries));
const bare = entries.filter(({ says, ways }) => says.length === 0 || ways.length === 0);
for (const { code } of bare)
  console.log(`${code}: write what it says and the way out in scripts/troubleshooting/notes.ts`);
console.log(`docs/troubleshooting.md: ${entries.length} codes`);
