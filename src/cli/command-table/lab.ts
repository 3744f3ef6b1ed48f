/** Commands for the embedded lab. */
import type { LoadableCommand } from '../command-spec.js';
import { YES } from './shared-options.js';

export const LAB_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'lab',
    summary: 'the embedded lab',
    examples: [{ command: 'oxherd lab serve', does: 'keeps it up for curl, kubectl, talosctl, Terraform' }],
    children: [
      {
        name: 'serve',
        summary: 'keep the lab up for other programs',
        options: [
          { flags: '--port <n>', description: 'port of the Proxmox API', default: '8006' },
          {
            flags: '--hosts <names>',
            description:
              'Proxmox hosts, separated by commas; default: those of the config, or pve1,pve2,pve3',
          },
          {
            flags: '--profile <name>',
            description: 'a fixed world to start from; default: what the config names, or empty',
          },
          {
            flags: '--token <token>',
            description: "API token 'user@realm!id=uuid', or env:NAME; default: a new one, kept in the state",
          },
          { flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' },
          { flags: '--speed <x>', description: 'lab seconds per second', default: '10' },
          { flags: '--ready-file <file>', description: 'written when the lab is up (JSON, mode 0600)' },
        ],
        examples: [
          {
            command: 'oxherd lab serve --ready-file lab.json',
            does: 'writes endpoint, token and fingerprint',
          },
          {
            command: 'oxherd -c examples/homelab/oxherd.yaml lab serve',
            does: 'with the hosts and storages that the file names',
          },
        ],
        load: () => import('../commands/lab-serve.js'),
      },
      {
        name: 'reset',
        summary: "forget the lab's state",
        options: [
          YES,
          { flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' },
        ],
        examples: [{ command: 'oxherd lab reset --yes', does: 'the next --lab command starts anew' }],
        load: () => import('../commands/lab-reset.js'),
      },
      {
        name: 'add-host',
        summary: 'add a Proxmox host to a lab that does not serve',
        args: [{ name: '<name>', description: 'such as pve4' }],
        options: [{ flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
        examples: [{ command: 'oxherd lab add-host pve4', does: 'a host like the first one, without VMs' }],
        load: () => import('../commands/lab-add-host.js'),
      },
      {
        name: 'remove-host',
        summary: 'take a Proxmox host without VMs out of a lab that does not serve',
        args: [{ name: '<name>', description: 'such as pve4' }],
        options: [{ flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
        examples: [{ command: 'oxherd lab remove-host pve4', does: 'as pvecm delnode' }],
        load: () => import('../commands/lab-remove-host.js'),
      },
      {
        name: 'add-storage',
        summary: 'add a storage to a lab that does not serve',
        args: [{ name: '<id>', description: 'such as tank' }],
        options: [
          {
            flags: '--type <type>',
            description: 'dir, nfs, cifs, lvm, lvmthin, zfspool, rbd, btrfs …',
            default: 'dir',
          },
          {
            flags: '--content <list>',
            description: 'contents, separated by commas; default: those of the type',
          },
          { flags: '--shared', description: 'every host sees the same volumes' },
          { flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' },
        ],
        examples: [
          { command: 'oxherd lab add-storage nas --type nfs', does: 'a storage that all hosts share' },
        ],
        load: () => import('../commands/lab-add-storage.js'),
      },
      {
        name: 'fault',
        summary: 'switch a named fault on or off',
        args: [
          { name: '<name>', description: 'such as no-quorum, host-down=pve2, task-fails@3' },
          { name: '<state>', description: 'on or off' },
        ],
        options: [{ flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
        examples: [{ command: 'oxherd lab fault host-down=pve2 on', does: 'takes a Proxmox host away' }],
        load: () => import('../commands/lab-fault.js'),
      },
    ],
  },
];
