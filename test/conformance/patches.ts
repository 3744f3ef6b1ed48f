/** Random patches with our result, for comparing with Talos': `tsx patches.ts OUT COUNT`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { MAIN_KIND, parseTalosDocuments } from '../../src/formats/talos/talos-documents.js';
import { patchText, withEmptyFields } from '../../src/formats/talos/talos-patch.js';
import { isMapping } from '../../src/formats/text/mapping.js';
import { seededRandom } from '../fixtures/design/machine-config/random-config.js';
import { PatchGenerator } from './random-patch.js';

const [out = '', count = '1000'] = process.argv.slice(2);
const BASES = new URL('../fixtures/formats/talos-patches/base/', import.meta.url);
const bases = readdirSync(BASES)
  .sort()
  .map((name) => readFileSync(new URL(name, BASES), 'utf8'));
const random = seededRandom(20_261_115);
const generator = new PatchGenerator(random);

const lines: string[] = [];
for (let at = 0; at < Number(count); at += 1) {
  const base = bases[at % bases.length] ?? '';
  const documents = parseTalosDocuments(base).map(({ value }) => value);
  const patches = Array.from({ length: 1 + Math.floor(random() * 2) }, () => generator.patch(documents));
  lines.push(JSON.stringify({ base, patches, ours: attempt(base, patches) }));
}
writeFileSync(out, lines.join('\n'));

function attempt(base: string, patches: readonly string[]): object {
  try {
    const documents = patchText(base, patches);
    return {
      documents: documents.map((value) =>
        withEmptyFields(value, isMapping(value) && typeof value.kind === 'string' ? value.kind : MAIN_KIND),
      ),
    };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
