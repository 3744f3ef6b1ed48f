/** Commands that make, check and change the config itself. */
import type { LoadableCommand } from '../command-spec.js';

export const CONFIG_FILE_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'init',
    summary: 'ask a few questions and write a commented oxherd.yaml; make an age key if there is none',
    options: [
      { flags: '--name <name>', description: 'cluster name' },
      { flags: '--endpoint <url>', description: 'Proxmox API, such as https://pve1.lan:8006' },
      { flags: '--hosts <names>', description: 'Proxmox hosts, separated by commas' },
      { flags: '--subnet <cidr>', description: 'network of the nodes, such as 10.20.30.0/24' },
      { flags: '--gateway <ip>', description: "the network's gateway" },
      { flags: '--vip <ip>', description: 'virtual address of the Kubernetes API' },
      { flags: '--controlplanes <n>', description: 'how many control planes' },
      { flags: '--workers <n>', description: 'how many workers' },
      { flags: '--talos <version>', description: 'Talos version' },
      { flags: '--kubernetes <version>', description: 'Kubernetes version' },
      { flags: '--force', description: 'overwrite an existing file' },
    ],
    examples: [
      { command: 'oxherd init', does: 'asks for everything' },
      {
        command:
          'oxherd init --name lab --endpoint https://pve1:8006 --hosts pve1,pve2,pve3 --subnet 10.0.0.0/24 --gateway 10.0.0.1',
        does: 'asks nothing',
      },
    ],
    load: () => import('../commands/init.js'),
  },
  {
    name: 'validate',
    summary: 'check the config alone; every problem with its place',
    examples: [
      { command: 'oxherd validate', does: 'checks oxherd.yaml in this folder' },
      {
        command: 'oxherd -c examples/homelab/oxherd.yaml validate --json',
        does: 'prints the problems as JSON',
      },
    ],
    load: () => import('../commands/validate.js'),
  },
  {
    name: 'convert',
    summary: 'write an oxherd.yaml from the config of the Terraform module, the template, talhelper or topf',
    args: [
      {
        name: '[file]',
        description: 'such as terraform.tfvars, talconfig.yaml or a folder; by default what `-c` names',
      },
    ],
    options: [
      {
        flags: '--out <file>',
        description: 'file to write, - for stdout; oxherd.yaml beside the source otherwise',
      },
      { flags: '--force', description: 'overwrite an existing file' },
    ],
    examples: [
      { command: 'oxherd -c terraform.tfvars convert', does: 'writes oxherd.yaml beside it' },
      { command: 'oxherd convert talconfig.yaml', does: 'from talhelper, with placeholders for Proxmox' },
      { command: 'oxherd -c base.tfvars,prod.tfvars convert --out prod.yaml', does: 'reads several files' },
      {
        command: 'oxherd -c cluster-template/ convert --out -',
        does: 'from cluster.yaml and nodes.yaml, to stdout',
      },
    ],
    load: () => import('../commands/convert.js'),
  },
];
