/** Writes what src/model/publisher.ts decides: fields of package.json, the Helm chart, help, docs. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { PUBLISHER } from '../src/model/publisher.js';
import { withPublisher } from './publisher-fields.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
writeFileSync('package.json', `${JSON.stringify(withPublisher(manifest, PUBLISHER), null, 2)}\n`);
for (const script of ['fleet', 'commands', 'troubleshooting']) {
  const { status } = spawnSync('npx', ['tsx', `scripts/generate-${script}.ts`], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
