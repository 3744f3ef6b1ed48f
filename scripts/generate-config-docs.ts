/** Writes docs/config.md from the schema of the config. */
import { writeFileSync } from 'node:fs';
import { configDocs } from '../src/config/docs.js';
import { configJsonSchema } from '../src/config/json-schema.js';

writeFileSync(new URL('../docs/config.md', import.meta.url), configDocs(configJsonSchema()));
