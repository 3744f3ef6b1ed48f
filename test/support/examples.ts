/** The examples that come with oxherd, loaded as the command line loads them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';

export const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

export function exampleNames(): string[] {
  return readdirSync(EXAMPLES).sort();
}

/** `change` edits the text before it is loaded. */
export function loadExample(name: string, change: (text: string) => string = (text) => text): Config {
  const readText = (path: string) => readFileSync(join(EXAMPLES, name, path), 'utf8');
  const text = change(readText('oxherd.yaml'));
  const { config, diagnostics } = loadConfig({ path: 'oxherd.yaml', text, readText });
  if (!config) throw new Error(diagnostics.map((each) => each.message).join('\n'));
  return config;
}
