/** Writes docs/config.md and docs/changes.md from the schema of the config. */
import { readFileSync, writeFileSync } from 'node:fs';
import { changesDocs, GENERATED } from '../src/config/reference/changes-docs.js';
import { configDocs } from '../src/config/reference/docs.js';
import { configJsonSchema } from '../src/config/reference/json-schema.js';

writeFileSync(new URL('../docs/config.md', import.meta.url), configDocs(configJsonSchema()));

const changes = new URL('../docs/changes.md', import.meta.url);
const [byHand = ''] = readFileSync(changes, 'utf8').split(GENERATED);
writeFileSync(changes, `${byHand.trimEnd()}\n\n${changesDocs(configJsonSchema())}`);
