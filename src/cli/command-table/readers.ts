/** Commands that show or write what the config means, for people and for other tools. */
import type { LoadableCommand } from '../command-spec.js';
import { OUT_DIR } from './shared-options.js';

export const READER_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'export',
    summary: 'write what oxherd would make, for other tools',
    examples: [{ command: 'oxherd export qm --out out/', does: 'writes one <vmid>.conf per VM' }],
    children: [
      {
        name: 'qm',
        summary: 'the `qm config` text of each VM, as <vmid>.conf',
        options: [OUT_DIR],
        examples: [{ command: 'oxherd export qm --out out/', does: 'writes one file per VM' }],
        load: () => import('../commands/export-qm.js'),
      },
      {
        name: 'tofu',
        summary: 'an OpenTofu root module for the provider bpg/proxmox',
        options: [
          OUT_DIR,
          { flags: '--live', description: 'with import blocks for the VMs and images that are there' },
        ],
        examples: [
          {
            command: 'oxherd export tofu --out tofu/',
            does: 'writes terraform.tfvars, main.tf and modules/talos-vm',
          },
          {
            command: 'oxherd export tofu --live --out tofu/',
            does: 'hands a living cluster over; no VM is made anew',
          },
        ],
        load: () => import('../commands/export-tofu.js'),
      },
      {
        name: 'machineconfig',
        summary: 'the Talos machine config of each node, as <node>.yaml',
        options: [OUT_DIR],
        examples: [
          { command: 'oxherd export machineconfig --out out/', does: 'writes one file per node, mode 0600' },
        ],
        load: () => import('../commands/export-machineconfig.js'),
      },
      {
        name: 'manifests',
        summary: 'every Kubernetes object as a file, for GitOps',
        options: [
          OUT_DIR,
          { flags: '--secrets', description: 'the secrets too, read from the cluster, mode 0600' },
        ],
        examples: [
          { command: 'oxherd export manifests --out manifests/', does: 'writes one file per object' },
        ],
        load: () => import('../commands/export-manifests.js'),
      },
    ],
  },
  {
    name: 'capacity',
    summary: 'how full the Proxmox hosts are, and what does not fit',
    options: [{ flags: '--live', description: 'with what Proxmox says: sizes, other VMs, space' }],
    examples: [
      { command: 'oxherd capacity', does: 'from the file alone' },
      { command: 'oxherd capacity --live --json', does: 'with what is there, as JSON' },
    ],
    load: () => import('../commands/capacity.js'),
  },
  {
    name: 'graph',
    summary: 'a picture of hosts, VMs, disks and volumes',
    options: [
      {
        flags: '--format <format>',
        description: 'kind of picture',
        choices: ['mermaid', 'svg'],
        default: 'mermaid',
      },
      { flags: '--out <file>', description: 'file to write; stdout otherwise' },
      { flags: '--live', description: 'of what is there, with the state of each VM' },
      {
        flags: '--theme <theme>',
        description: 'colours of the SVG; by default what the reader prefers',
        choices: ['auto', 'light', 'dark'],
        default: 'auto',
      },
    ],
    examples: [
      { command: 'oxherd graph', does: 'prints mermaid text for a README' },
      {
        command: 'oxherd graph --format svg --out cluster.svg',
        does: 'writes a picture; needs no other program',
      },
    ],
    load: () => import('../commands/graph.js'),
  },
];
