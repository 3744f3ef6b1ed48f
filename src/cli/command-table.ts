/** Every command, in the order in which `--help` shows them. Nothing here loads what a command needs to run. */
import type { CommandSpec, OptionSpec } from './command-spec.js';
import type { CommandModule } from './context.js';

/** A command and how to load what it does. */
export interface LoadableCommand extends CommandSpec {
  readonly children?: readonly LoadableCommand[];
  readonly load?: () => Promise<CommandModule>;
}

const YES: OptionSpec = { flags: '-y, --yes', description: 'do not ask' };
const OUT_DIR: OptionSpec = { flags: '--out <dir>', description: 'folder to write to', default: '.' };

export const COMMANDS: readonly LoadableCommand[] = [
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
    load: () => import('./commands/init.js'),
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
    load: () => import('./commands/validate.js'),
  },
  {
    name: 'convert',
    summary: "write an oxherd.yaml from the Terraform module's variables or the template's YAML",
    options: [
      {
        flags: '--out <file>',
        description: 'file to write, - for stdout; oxherd.yaml beside the source otherwise',
      },
      { flags: '--force', description: 'overwrite an existing file' },
    ],
    examples: [
      { command: 'oxherd -c terraform.tfvars convert', does: 'writes oxherd.yaml beside it' },
      { command: 'oxherd -c base.tfvars,prod.tfvars convert --out prod.yaml', does: 'reads several files' },
      {
        command: 'oxherd -c cluster-template/ convert --out -',
        does: 'from cluster.yaml and nodes.yaml, to stdout',
      },
    ],
    load: () => import('./commands/convert.js'),
  },
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
        load: () => import('./commands/export-qm.js'),
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
        load: () => import('./commands/export-tofu.js'),
      },
      {
        name: 'machineconfig',
        summary: 'the Talos machine config of each node, as <node>.yaml',
        options: [OUT_DIR],
        examples: [
          { command: 'oxherd export machineconfig --out out/', does: 'writes one file per node, mode 0600' },
        ],
        load: () => import('./commands/export-machineconfig.js'),
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
        load: () => import('./commands/export-manifests.js'),
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
    load: () => import('./commands/capacity.js'),
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
    load: () => import('./commands/graph.js'),
  },
  {
    name: 'secrets',
    summary: 'the Talos secrets: make, take in, give out',
    examples: [{ command: 'oxherd secrets init', does: 'makes secrets.sops.yaml beside the config' }],
    children: [
      {
        name: 'init',
        summary: 'make new secrets, encrypted with age (SOPS)',
        examples: [{ command: 'oxherd secrets init', does: 'writes secrets.sops.yaml; never overwrites' }],
        load: () => import('./commands/secrets-init.js'),
      },
      {
        name: 'import',
        summary: 'take in a file of `talosctl gen secrets`, or what a running control plane has',
        args: [{ name: '[file]', description: 'secrets.yaml' }],
        options: [
          { flags: '--from-node <address>', description: 'a control plane that still runs' },
          {
            flags: '--talosconfig <file>',
            description: 'to ask it with; default: $TALOSCONFIG, or .oxherd/<cluster>/talosconfig',
          },
        ],
        examples: [
          { command: 'oxherd secrets import secrets.yaml', does: 'encrypts it beside the config' },
          {
            command: 'oxherd secrets import --from-node 10.20.30.41',
            does: 'brings back secrets whose file is lost, while a talosconfig is valid',
          },
        ],
        load: () => import('./commands/secrets-import.js'),
      },
      {
        name: 'export',
        summary: 'write the secrets as `talosctl gen secrets` does',
        options: [
          { flags: '--out <file>', description: 'file to write (mode 0600)', default: 'secrets.yaml' },
        ],
        examples: [
          { command: 'oxherd secrets export --out secrets.yaml', does: 'writes them in plain text' },
        ],
        load: () => import('./commands/secrets-export.js'),
      },
      {
        name: 'rotate-admin',
        summary: 'issue a new admin certificate for talosconfig and kubeconfig',
        examples: [{ command: 'oxherd secrets rotate-admin', does: 'writes both files anew' }],
        load: () => import('./commands/secrets-rotate-admin.js'),
      },
      {
        name: 'rotate-csi',
        summary: 'give the CSI driver a new Proxmox token; the old one ends at once',
        examples: [
          { command: 'oxherd secrets rotate-csi', does: "replaces the token in the cluster's secret" },
        ],
        load: () => import('./commands/secrets-rotate-csi.js'),
      },
    ],
  },
  {
    name: 'plan',
    summary: 'show what would be done, and why',
    options: [
      { flags: '--out <file>', description: 'save the plan for `apply FILE`' },
      { flags: '--exit-code', description: 'exit 2 if anything is to be done, 0 if nothing' },
      { flags: '--graph', description: 'the steps and their order as a mermaid graph' },
      {
        flags: '--drift-only',
        description: 'only what is there and differs from the file; not what is to be made',
      },
    ],
    examples: [
      { command: 'oxherd plan', does: 'compares the file with what is there' },
      { command: 'oxherd --lab plan', does: 'the same on the embedded lab' },
      {
        command: 'oxherd plan --out plan.json && oxherd apply plan.json',
        does: 'applies exactly what was shown',
      },
    ],
    load: () => import('./commands/plan.js'),
  },
  {
    name: 'apply',
    summary: 'carry it out, with progress; safe to repeat',
    args: [{ name: '[plan]', description: 'a plan saved by `plan --out`' }],
    options: [
      YES,
      { flags: '--only <node...>', description: 'these nodes alone' },
      {
        flags: '--fresh',
        description: 'begin anew on new EPHEMERAL disks; the old ones and all volumes are kept',
      },
      { flags: '--confirm <cluster>', description: 'the name of the cluster, for --fresh' },
    ],
    examples: [
      { command: 'oxherd apply', does: 'plans, asks, applies' },
      { command: 'oxherd --lab apply --yes', does: 'builds the cluster on the embedded lab' },
      { command: 'oxherd apply --only work-2', does: 'touches one node' },
      {
        command: 'oxherd apply --fresh --only cp-2 --confirm homelab',
        does: 'lets a control plane whose data is lost join as a new member',
      },
    ],
    load: () => import('./commands/apply.js'),
  },
  {
    name: 'upgrade',
    summary: 'to other versions of Talos and Kubernetes, hop by hop',
    details:
      'Finds the legal path, writes the versions of each hop into the file and applies it. Without versions: goes on with an upgrade that was interrupted, or to what the file says.',
    options: [
      { flags: '--talos <version>', description: 'Talos version to reach' },
      { flags: '--kubernetes <version>', description: 'Kubernetes version to reach' },
      {
        flags: '--via <release...>',
        description: 'releases to take on the way, such as talos:v1.13.8 or kubernetes:v1.36.2',
      },
      YES,
    ],
    examples: [
      { command: 'oxherd upgrade --talos v1.14.1', does: 'shows the path, asks, and goes it' },
      { command: 'oxherd upgrade --kubernetes v1.37.0 --yes', does: 'one minor after the other' },
      { command: 'oxherd upgrade', does: 'goes on where the last one was interrupted' },
    ],
    load: () => import('./commands/upgrade.js'),
  },
  {
    name: 'destroy',
    summary: 'remove the VMs; data is kept unless told',
    options: [
      YES,
      { flags: '--delete-data', description: 'destroy the data as well; needs --confirm' },
      { flags: '--confirm <cluster>', description: 'the name of the cluster whose data is to be destroyed' },
    ],
    examples: [
      { command: 'oxherd destroy', does: 'removes the Talos VMs and keeps every data VM' },
      { command: 'oxherd destroy --delete-data --confirm homelab', does: 'removes everything' },
    ],
    load: () => import('./commands/destroy.js'),
  },
  {
    name: 'status',
    summary: 'health of hosts, VMs, machines, volumes, etcd and certificates; exit 3 if unhealthy',
    options: [
      { flags: '-w, --watch', description: 'go on looking until Ctrl-C' },
      { flags: '-a, --all', description: 'every condition, not only those that fail' },
    ],
    examples: [
      { command: 'oxherd status', does: 'what is well and what is not' },
      { command: 'oxherd --lab status --json', does: 'every condition as JSON' },
    ],
    load: () => import('./commands/status.js'),
  },
  {
    name: 'kubeconfig',
    summary: 'write the file that kubectl wants',
    options: [
      { flags: '--out <file>', description: 'where to; default: .oxherd/<cluster>/kubeconfig' },
      { flags: '--merge', description: 'keep what else is in that file' },
    ],
    examples: [
      {
        command: 'oxherd kubeconfig --out ~/.kube/config --merge',
        does: 'adds the cluster to your own file',
      },
    ],
    load: () => import('./commands/kubeconfig.js'),
  },
  {
    name: 'talosconfig',
    summary: 'write the file that talosctl wants',
    options: [
      { flags: '--out <file>', description: 'where to; default: .oxherd/<cluster>/talosconfig' },
      { flags: '--merge', description: 'keep what else is in that file' },
    ],
    examples: [
      {
        command: 'oxherd talosconfig --out ~/.talos/config --merge',
        does: 'adds the cluster to your own file',
      },
    ],
    load: () => import('./commands/talosconfig.js'),
  },
  {
    name: 'restart',
    summary: 'stop and start nodes, one after the other',
    args: [{ name: '[node...]', description: 'nodes by name' }],
    options: [
      { flags: '--role <role>', description: 'all nodes of a role', choices: ['controlplane', 'worker'] },
      YES,
    ],
    examples: [
      { command: 'oxherd restart work-1', does: 'drains it, stops it, starts it, waits until it is back' },
      { command: 'oxherd restart --role worker --yes', does: 'all workers, one after the other' },
    ],
    load: () => import('./commands/restart.js'),
  },
  {
    name: 'replace',
    summary: 'give a node a new system disk; its VM, identity and data stay',
    args: [{ name: '<node...>', description: 'nodes by name' }],
    options: [YES],
    examples: [
      { command: 'oxherd replace work-1', does: 'makes sure its data is elsewhere, then swaps the disk' },
    ],
    load: () => import('./commands/replace.js'),
  },
  {
    name: 'volumes',
    summary: 'the data, and who owns it',
    examples: [{ command: 'oxherd volumes list', does: 'lists every volume with its owner' }],
    children: [
      {
        name: 'list',
        summary: 'every volume with size, owner and user',
        examples: [{ command: 'oxherd volumes list --json', does: 'as JSON' }],
        load: () => import('./commands/volumes-list.js'),
      },
      {
        name: 'delete',
        summary: 'destroy a parked volume',
        args: [{ name: '<name>', description: 'the volume as `volumes list` shows it' }],
        options: [{ flags: '--confirm <name>', description: 'the same name again' }],
        examples: [
          { command: 'oxherd volumes delete work-1/old --confirm work-1/old', does: 'destroys its data' },
        ],
        load: () => import('./commands/volumes-delete.js'),
      },
      {
        name: 'adopt',
        summary: 'give a volume its identity: after a restore, or of two with one WWN',
        args: [
          { name: '<name>', description: 'the volume as `volumes list` shows it' },
          { name: '<volid>', description: 'the Proxmox volume that is the right one' },
        ],
        examples: [
          {
            command: 'oxherd volumes adopt work-1/longhorn local-zfs:vm-1510-disk-3',
            does: 'makes it the one',
          },
        ],
        load: () => import('./commands/volumes-adopt.js'),
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
          { flags: '--out <file>', description: 'where to; default: .oxherd/<cluster>/etcd-<time>.snapshot' },
        ],
        examples: [
          { command: 'oxherd etcd backup', does: 'writes it with mode 0600, prints size and hash' },
          {
            command: 'oxherd etcd backup --out /backup/etcd.snapshot --json',
            does: 'for a schedule: replaced only by a snapshot that is whole; exit 1 otherwise',
          },
        ],
        load: () => import('./commands/etcd-backup.js'),
      },
      {
        name: 'restore',
        summary: 'begin again from a snapshot: new disks for all control planes, the old ones are kept',
        args: [{ name: '<file>', description: 'a snapshot of `etcd backup` or `talosctl etcd snapshot`' }],
        options: [{ flags: '--confirm <cluster>', description: 'the name of the cluster' }],
        examples: [
          {
            command: 'oxherd etcd restore .oxherd/homelab/etcd-20261115T063545Z.snapshot --confirm homelab',
            does: 'checks the file, then goes back to what it holds',
          },
        ],
        load: () => import('./commands/etcd-restore.js'),
      },
    ],
  },
  {
    name: 'doctor',
    summary: 'check connection, token, rights, storages, bridges, space',
    examples: [{ command: 'oxherd doctor', does: 'prints what is missing and the command that mends it' }],
    load: () => import('./commands/doctor.js'),
  },
  {
    name: 'runs',
    summary: 'what earlier runs did',
    examples: [{ command: 'oxherd runs list', does: 'every run with its outcome, newest first' }],
    children: [
      {
        name: 'list',
        summary: 'every run: when, what, outcome, how long',
        examples: [{ command: 'oxherd runs list --json', does: 'as JSON' }],
        load: () => import('./commands/runs-list.js'),
      },
      {
        name: 'show',
        summary: 'the steps of a run, and how long each node was away',
        args: [{ name: '[id]', description: 'as `runs list` shows it; the last run otherwise' }],
        examples: [{ command: 'oxherd runs show', does: 'the last run' }],
        load: () => import('./commands/runs-show.js'),
      },
    ],
  },
  {
    name: 'unlock',
    summary: 'remove a lock that another host left behind',
    options: [YES],
    examples: [{ command: 'oxherd unlock', does: 'shows the holder and asks' }],
    load: () => import('./commands/unlock.js'),
  },
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
        load: () => import('./commands/lab-serve.js'),
      },
      {
        name: 'reset',
        summary: "forget the lab's state",
        options: [
          YES,
          { flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' },
        ],
        examples: [{ command: 'oxherd lab reset --yes', does: 'the next --lab command starts anew' }],
        load: () => import('./commands/lab-reset.js'),
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
        load: () => import('./commands/lab-fault.js'),
      },
    ],
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of oxherd.yaml, for editors',
    examples: [{ command: 'oxherd schema > oxherd.schema.json', does: 'writes it to a file' }],
    load: () => import('./commands/schema.js'),
  },
  {
    name: 'completion',
    summary: 'print a completion script',
    args: [{ name: '<shell>', description: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    examples: [{ command: 'source <(oxherd completion bash)', does: 'completes commands and flags' }],
    load: () => import('./commands/completion.js'),
  },
];
