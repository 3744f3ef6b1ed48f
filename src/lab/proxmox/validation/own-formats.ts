/** Property strings of methods that are not in the generated part of the API. */
import type { FormatSchema } from '../schema.js';

const NODE = { type: 'string', format: 'pve-node' } as const;
const ADDRESS = { type: 'string', format: 'ip' } as const;

export const OWN_FORMATS: ReadonlyMap<string, FormatSchema> = new Map<string, FormatSchema>([
  [
    'pve-mapping-usb-line',
    {
      node: NODE,
      id: { type: 'string', pattern: '^[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}$' },
      path: { type: 'string', optional: true, pattern: '^(\\d+)\\-(\\d+(\\.\\d+)*)$' },
      description: { type: 'string', optional: true, maxLength: 4096 },
    },
  ],
  [
    'pve-mapping-dir-line',
    { node: NODE, path: { type: 'string', format: 'pve-storage-path-in-property-string' } },
  ],
  ['pve-sdn-dhcp-range', { 'start-address': ADDRESS, 'end-address': ADDRESS }],
]);
