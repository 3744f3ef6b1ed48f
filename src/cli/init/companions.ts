/** Files beside a new config: what Git leaves out, and the schema for the editor. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configJsonSchema } from '../../config/reference/json-schema.js';

/** Below a folder that Git leaves out; `oxherd schema` writes it again. */
export const SCHEMA_FILE = '.oxherd/oxherd.schema.json';

/** Runs, client files and the lab; keys that must not be in a repository. `secrets.sops.yaml` belongs into it. */
const IGNORED = ['.oxherd/', '*.agekey', 'age.key', 'keys.txt'];

export function writeCompanions(config: string, lab: boolean): void {
  const folder = dirname(config);
  const schema = join(folder, SCHEMA_FILE);
  mkdirSync(dirname(schema), { recursive: true });
  writeFileSync(schema, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  if (lab && !existsSync(join(folder, '.git'))) return;
  const ignore = join(folder, '.gitignore');
  const there = existsSync(ignore) ? readFileSync(ignore, 'utf8') : '';
  const lines = there.split(/\r?\n/);
  const missing = IGNORED.filter((line) => !lines.includes(line));
  if (missing.length === 0) return;
  const gap = there === '' || there.endsWith('\n') ? '' : '\n';
  appendFileSync(ignore, `${gap}${missing.join('\n')}\n`);
}
