/** Commands for the data: volumes and etcd. */
import type { LoadableCommand } from '../command-spec.js';
import { YES } from './shared-options.js';

const SNAPSHOT = {
  name: '<file>',
  description: 'a snapshot of `etcd backup` or `talosctl etcd snapshot`: a file, or s3://bucket/key',
};

/** Of a bucket that an argument names. */
const S3 = [
  {
    flags: '--endpoint <url>',
    description: 'of an S3-compatible store; default: AWS_ENDPOINT_URL, else Amazon S3',
  },
  { flags: '--region <name>', description: 'default: AWS_REGION, else us-east-1' },
  {
    flags: '--access-key <ref>',
    description: 'where the key is: env:NAME, file:PATH or sops:PATH#key; default: env:AWS_ACCESS_KEY_ID',
  },
  {
    flags: '--secret-key <ref>',
    description: 'where the secret is, in the same forms; default: env:AWS_SECRET_ACCESS_KEY',
  },
  { flags: '--plain-http', description: 'accept an endpoint that is not encrypted' },
] as const;

export const DATA_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'volumes',
    summary: 'the data, and who owns it',
    examples: [{ command: 'oxherd volumes list', does: 'lists every volume with its owner' }],
    children: [
      {
        name: 'list',
        summary: 'every volume with size, owner and user',
        examples: [{ command: 'oxherd volumes list --json', does: 'as JSON' }],
        load: () => import('../commands/volumes-list.js'),
      },
      {
        name: 'delete',
        summary: 'destroy a parked volume',
        args: [{ name: '<name>', description: 'the volume as `volumes list` shows it' }],
        options: [{ flags: '--confirm <name>', description: 'the same name again' }],
        examples: [
          { command: 'oxherd volumes delete work-1/old --confirm work-1/old', does: 'destroys its data' },
        ],
        load: () => import('../commands/volumes-delete.js'),
      },
      {
        name: 'adopt',
        summary: 'give a volume its identity: after a restore, or of two with one WWN',
        args: [
          { name: '<name>', description: 'the volume as `volumes list` shows it' },
          { name: '<volid>', description: 'the Proxmox volume that is the right one' },
        ],
        options: [
          {
            flags: '--confirm <name>',
            description: 'the same name again, where it cannot be told which is which',
          },
        ],
        examples: [
          {
            command: 'oxherd volumes adopt work-1/longhorn local-zfs:vm-1510-disk-3',
            does: 'makes it the one',
          },
        ],
        load: () => import('../commands/volumes-adopt.js'),
      },
      {
        name: 'accept-size',
        summary: 'write the size that a disk was given by hand into oxherd.yaml',
        args: [{ name: '<name>', description: 'the volume as `volumes list` shows it' }],
        options: [YES],
        examples: [
          {
            command: 'oxherd volumes accept-size work-1/longhorn',
            does: 'shows the change, asks, and leaves everything else in the file as it is',
          },
        ],
        load: () => import('../commands/volumes-accept-size.js'),
      },
      {
        name: 'forget',
        summary: 'take a disk whose volume no longer exists off its VMs; a volume that exists is refused',
        args: [{ name: '<name>', description: 'the volume as `volumes list` shows it' }],
        options: [{ flags: '--confirm <name>', description: 'the same name again' }],
        examples: [
          {
            command: 'oxherd volumes forget work-1/data --confirm work-1/data',
            does: 'then the next apply makes a new, empty disk',
          },
        ],
        load: () => import('../commands/volumes-forget.js'),
      },
    ],
  },
  {
    name: 'etcd',
    summary: "the cluster's database",
    examples: [{ command: 'oxherd etcd backup', does: 'writes a snapshot to .oxherd/<cluster>/' }],
    children: [
      {
        name: 'backup',
        summary: 'take a snapshot through a healthy control plane, and check it',
        options: [
          {
            flags: '--out <path>',
            description: 'a file, or a folder for <cluster>/etcd-<time>.snapshot; default: .oxherd/',
          },
          {
            flags: '--every <duration>',
            description: 'only if the newest one is older, such as 6h: for cron and timers',
          },
          {
            flags: '--to <url>',
            description:
              's3://bucket/prefix instead of a file: <prefix>/<cluster>/etcd-<time>.snapshot, read back',
          },
          ...S3,
        ],
        examples: [
          { command: 'oxherd etcd backup', does: 'writes it with mode 0600, prints size and hash' },
          {
            command: 'oxherd etcd backup --every 6h --out /backup',
            does: 'for cron: takes one when it is due, keeps as many as `policy.keep.snapshots` says',
          },
          {
            command: 'oxherd etcd backup --every 6h --to s3://backup/etcd --endpoint https://minio.lan:9000',
            does: 'the same in a bucket, with the keys of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
          },
          {
            command: 'oxherd etcd backup --out /backup/etcd.snapshot --json',
            does: 'for a schedule: replaced only by a snapshot that is whole; exit 1 otherwise',
          },
        ],
        load: () => import('../commands/etcd-backup.js'),
      },
      {
        name: 'verify',
        summary: 'a restore drill: check the hash, replay the database, begin a simulated cluster with it',
        args: [SNAPSHOT],
        options: [...S3],
        examples: [
          {
            command: 'oxherd etcd verify s3://backup/etcd/homelab/',
            does: 'the newest one in that folder of a bucket',
          },
          {
            command: 'oxherd etcd verify .oxherd/homelab/etcd-20261115T063545Z.snapshot',
            does: 'shows members and objects; touches no cluster and needs no config',
          },
        ],
        load: () => import('../commands/etcd-verify.js'),
      },
      {
        name: 'restore',
        summary: 'begin again from a snapshot: new disks for all control planes, the old ones are kept',
        args: [SNAPSHOT],
        options: [{ flags: '--confirm <cluster>', description: 'the name of the cluster' }, ...S3],
        examples: [
          {
            command: 'oxherd etcd restore .oxherd/homelab/etcd-20261115T063545Z.snapshot --confirm homelab',
            does: 'checks the file, then goes back to what it holds',
          },
        ],
        load: () => import('../commands/etcd-restore.js'),
      },
    ],
  },
];
