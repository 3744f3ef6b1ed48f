import type { MethodSchema } from './schema.js';

/** Methods that clients call though they are not in the generated part of the API (recording `cluster-overview`). */
export const EXTRA_METHODS: readonly MethodSchema[] = [
  {
    method: 'GET',
    path: '/nodes/{node}/lxc',
    token: true,
    onNode: true,
    permissions: { user: 'all' },
    parameters: {
      additionalProperties: false,
      properties: { node: { type: 'string', format: 'pve-node' } },
    },
  },
];
