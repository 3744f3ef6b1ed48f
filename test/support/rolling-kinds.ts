/** The kinds of change that are tried with every fault at every step. */
import type { Herd } from './herd.js';

export const ROLLING_KINDS = {
  talos: { talos: 'v1.14.1' },
  kubernetes: { kubernetes: 'v1.36.0' },
  schematic: {
    schematic:
      '  schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent, siderolabs/iscsi-tools] } } }',
  },
  memory: { memory: '6GiB' },
  config: { schematic: '  patches: { all: [{ machine: { env: { LANG: C } } }] }' },
} as const satisfies Record<string, Herd>;

export type RollingKind = keyof typeof ROLLING_KINDS;
