import { z } from 'zod';
import { optional } from './key.js';
import { duration, pattern } from './values.js';

const gate = z.strictObject({
  resource: optional(
    pattern(/^[a-z][a-z0-9]*(\.[a-z0-9.-]+)?(\/v[0-9a-z]+)?$/, 'a resource', 'volumes.longhorn.io/v1beta2'),
    'Resource as `plural.group/version`, or `plural` of the core API. Required unless the gate is built in.',
    { example: 'volumes.longhorn.io/v1beta2' },
  ),
  namespace: optional(z.string().min(1), 'Namespace; all of them otherwise.'),
  object: optional(z.string().min(1), 'One object by name; all of them otherwise.'),
  expression: optional(
    z.string().min(1),
    'CEL over `object`, true if the gate is open. Required unless the gate is built in.',
    { example: 'object.status.robustness == "healthy"' },
  ),
  ifMissing: optional(
    z.enum(['closed', 'open']),
    'What the gate is while the cluster does not serve the resource: `closed` stops every disruption, `open` is for a resource that is installed later.',
    { byDefault: 'closed' },
  ),
  timeout: optional(duration, 'How long to wait for it. Built-in gates: 1h.', { byDefault: '10m' }),
});

export const policySchema = z.strictObject({
  maxUnavailable: optional(
    z.union([z.int().min(1), pattern(/^([1-9]|[1-9]\d|100)%$/, 'a number or a percentage', '25%')]),
    'Workers that may be disrupted at a time. Control planes: always one.',
    { byDefault: 1, example: '25%' },
  ),
  spreadHosts: optional(z.boolean(), 'Disrupt workers of one host at a time only.', { byDefault: true }),
  outage: optional(
    z.enum(['ask', 'allow', 'refuse']),
    'Whether the API may be unavailable while the only control plane, or one of two, restarts: asked even with `--yes`, covered by `--yes`, or never.',
    { byDefault: 'ask' },
  ),
  rehearse: optional(
    z.enum(['never', 'before-restart']),
    'Whether `apply` runs a plan that restarts, replaces or removes something on a twin of the cluster first.',
    { byDefault: 'never' },
  ),
  drain: optional(
    z.strictObject({
      timeout: optional(duration, 'How long a drain may take.', { byDefault: '5m' }),
      deleteLocalData: optional(z.boolean(), 'Evict pods with `emptyDir` data.', { byDefault: true }),
      force: optional(z.boolean(), 'Evict pods that no controller brings back.', { byDefault: false }),
    }),
    'How nodes are drained.',
  ),
  etcdSnapshotMaxAge: optional(
    duration,
    'Before an outage a new snapshot is taken if the last one is older than this.',
    {
      byDefault: '1h',
    },
  ),
  keep: optional(
    z.strictObject({
      snapshots: optional(z.int().min(1), 'Snapshots of etcd in `.oxherd/<cluster>`.', { byDefault: 20 }),
      runs: optional(z.int().min(1), 'Journals in `.oxherd/runs`.', { byDefault: 100 }),
    }),
    'How many files of each kind are kept; the oldest are deleted when a new one is written.',
  ),
  gates: optional(
    z.record(z.string(), z.union([z.boolean(), gate])),
    'Conditions that must hold before a node goes down and after it is back, by name. `longhorn: true` and `ceph: true` are built in.',
    { example: { longhorn: true } },
  ),
  overcommit: optional(
    z.strictObject({
      memory: optional(z.boolean(), 'Allow more memory than a host has.', { byDefault: false }),
      cpuRatio: optional(z.number().min(0.1).max(64), 'vCPUs per CPU of a host.', { byDefault: 4 }),
    }),
    'How full hosts may be.',
  ),
  host: optional(
    z.strictObject({
      before: optional(
        z.string().min(1),
        'Run by `host roll` once a host is empty, with its name in `OXHERD_HOST`: patch and reboot it.',
        {
          example: 'ssh root@$OXHERD_HOST "apt-get -y dist-upgrade && reboot"',
        },
      ),
      after: optional(z.string().min(1), 'Run once the host is back, before its nodes return.', {
        example: 'ssh root@$OXHERD_HOST ceph osd unset noout',
      }),
    }),
    'Commands of your own around the maintenance of a host, run by the shell; one that fails stops the roll.',
  ),
  upgrade: optional(
    z.enum(['in-place', 'replace']),
    'Talos upgrades by its API, or by a new system disk (layout `data-vm`).',
    { byDefault: 'in-place' },
  ),
});
