/** Writes deploy/: the plain manifests and the Helm chart of the fleet controller, from src/controller/install. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deployFiles } from '../src/controller/install/chart.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const [path, text] of deployFiles(version)) {
  const file = join('deploy', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
