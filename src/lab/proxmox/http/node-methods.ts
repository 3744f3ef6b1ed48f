/** Methods of hosts that tools call and the generated part of the API lacks (pve-manager, PVE/API2/Nodes.pm). */
import type { MethodSchema, PropertySchema } from '../schema.js';
import { method, perm } from './method.js';

const VMS: PropertySchema = { type: 'string', format: 'pve-vmid-list', optional: true };
const WORKERS: PropertySchema = { type: 'integer', optional: true, minimum: 1, maximum: 64 };
const FLAG: PropertySchema = { type: 'boolean', optional: true };
const EVERYONE = { user: 'all' } as const;
const CF: PropertySchema = { type: 'string', optional: true, enum: ['AVERAGE', 'MAX'] };
const FRAME: PropertySchema = { type: 'string', enum: ['hour', 'day', 'week', 'month', 'year', 'decade'] };

export const NODE_METHODS: readonly MethodSchema[] = [
  { ...method('GET', '/', EVERYONE, {}), onNode: false },
  method('POST', '/nodes/{node}/startall', EVERYONE, { force: FLAG, vms: VMS, 'max-workers': WORKERS }),
  method('POST', '/nodes/{node}/stopall', EVERYONE, {
    vms: VMS,
    'force-stop': FLAG,
    timeout: { type: 'integer', optional: true, minimum: 0, maximum: 7200 },
    'max-workers': WORKERS,
  }),
  method('POST', '/nodes/{node}/suspendall', EVERYONE, { vms: VMS, 'max-workers': WORKERS }),
  // It is for hosts that are down, so another one is asked.
  { ...method('POST', '/nodes/{node}/wakeonlan', perm('/nodes/{node}', 'Sys.PowerMgmt'), {}), onNode: false },
  method('GET', '/nodes/{node}/rrddata', perm('/nodes/{node}', 'Sys.Audit'), { timeframe: FRAME, cf: CF }),
  method('GET', '/nodes/{node}/hardware/usb', perm('/nodes/{node}', 'Sys.Audit', 'Sys.Modify'), {}),
  method('GET', '/nodes/{node}/netstat', perm('/nodes/{node}', 'Sys.Audit'), {}),
];
