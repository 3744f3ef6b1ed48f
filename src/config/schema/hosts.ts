import { z } from 'zod';
import { optional, required } from './key.js';
import { size, vmid } from './values.js';

const reservation = z.strictObject({
  cpus: required(z.int().min(0), 'vCPUs it has.', { example: 6 }),
  memory: required(size, 'Memory it has.', { example: '32GiB' }),
  vmid: optional(vmid, 'Its VM id, so that it can be verified.'),
  disk: optional(z.string(), 'What it boots from, for the table.', { example: 'Passthrough' }),
  address: optional(z.string(), 'Its address, for the table.', { example: '10.20.30.20' }),
  passthrough: optional(z.string(), 'Device that is passed through to it.', { example: 'HBA' }),
  title: optional(z.string(), 'What it is, for tables and pictures.', { example: 'Storage' }),
});

const host = z.strictObject({
  cpus: optional(z.int().min(1), 'vCPUs of the host; read from Proxmox otherwise.', { example: 36 }),
  memory: optional(size, 'Memory of the host; read from Proxmox otherwise.', { example: '88GiB' }),
  storages: optional(z.record(z.string(), size), 'Room on its storages; read from Proxmox otherwise.', {
    example: { 'local-zfs': '900GiB' },
  }),
  reservations: optional(
    z.record(z.string(), reservation),
    'What else lives on the host: counted, verified, never touched.',
  ),
});

export const hostsSchema = z.record(z.string(), host);
