import { z } from 'zod';
import { optional, required } from './key.js';
import { duration, pattern, storageId } from './values.js';

const keep = z.int().min(1);

export const backupSchema = z.strictObject({
  storage: required(
    storageId,
    'Proxmox storage that takes the backups: a Proxmox Backup Server, or any with the content `backup`.',
    {
      example: 'pbs',
    },
  ),
  schedule: optional(
    pattern(/^[A-Za-z0-9*][A-Za-z0-9 ,.:*/-]{0,127}$/, 'a calendar event', 'daily'),
    'When, as a calendar event of Proxmox.',
    { byDefault: '02:00' },
  ),
  keep: optional(
    z.strictObject({
      last: optional(keep, 'Newest ones.'),
      daily: optional(keep, 'One a day, of so many days.'),
      weekly: optional(keep, 'One a week, of so many weeks.'),
      monthly: optional(keep, 'One a month, of so many months.'),
      yearly: optional(keep, 'One a year, of so many years.'),
    }),
    "Which backups stay; otherwise the storage's own rule.",
    { example: { daily: 7, weekly: 4 } },
  ),
  maxAge: optional(duration, 'A node whose last backup is older fails in `status`.', { byDefault: '2d' }),
});
