/**
 * All measurements, one after the other, each in a process of its own: `npm run bench`, or `npm run bench -- NAME…`.
 * A measurement is a file of this folder that says how it is called alone.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.//', import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -'.mjs'.length))
  .filter((name) => readFileSync(`${folder}${name}.mjs`, 'utf8').includes(`Usage: node bench/${name}.mjs`));

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`there is no measurement ${unknown.join(', ')}; there are: ${names.join(', ')}\n`);
  process.exit(1);
}

process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}\n`);
const failed = [];
for (const name of asked.length > 0 ? asked : names) {
  process.stdout.write('\n');
  const { status } = spawnSync(process.execPath, [`${folder}${name}.mjs`], { stdio: 'inherit' });
  if (status !== 0) failed.push(name);
}
if (failed.length > 0) {
  process.stderr.write(`\nfailed, or past its limit: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
