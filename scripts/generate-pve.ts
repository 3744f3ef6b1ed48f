/**
 * Writes what lab and client know of the Proxmox VE API from its own description:
 *
 *     npx tsx scripts/generate-pve.ts pve-api.json pve-formats.json
 *
 * Only facts are taken over (names, types, limits, formats, permissions), no descriptions.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { clientTypes } from './generate-pve/client-types.js';
import { labSchema } from './generate-pve/lab-schema.js';
import type { ApiMethod, RawFormat } from './generate-pve/raw.js';

const [apiFile, formatsFile] = process.argv.slice(2);
if (!apiFile || !formatsFile) {
  console.error('usage: tsx scripts/generate-pve.ts API.json FORMATS.json');
  process.exit(2);
}

const methods = JSON.parse(readFileSync(apiFile, 'utf8')) as ApiMethod[];
const formats = JSON.parse(readFileSync(formatsFile, 'utf8')) as Record<string, RawFormat | string>;

writeFileSync('src/lab/proxmox/gen/schema.ts', labSchema(methods, formats));
writeFileSync('src/clients/proxmox/gen/api.ts', clientTypes(methods));
