/** Commands that bring the cluster to what the config says, or remove it. */
import type { LoadableCommand } from '../command-spec.js';
import { FULL, YES } from './shared-options.js';

export const CHANGE_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'plan',
    summary: 'show what would be done, and why',
    options: [
      { flags: '--out <file>', description: 'save the plan for `apply FILE`' },
      { flags: '--exit-code', description: 'exit 2 if anything is to be done, 0 if nothing' },
      FULL,
      { flags: '--graph', description: 'the steps and their order as a mermaid graph' },
      {
        flags: '--drift-only',
        description: 'only what somebody changed outside oxherd, and who wins; not what the file asks for',
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
    load: () => import('../commands/plan.js'),
  },
  {
    name: 'apply',
    summary: 'carry it out, with progress; safe to repeat',
    args: [{ name: '[plan]', description: 'a plan saved by `plan --out`' }],
    options: [
      YES,
      FULL,
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
    load: () => import('../commands/apply.js'),
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
      { flags: '--write', description: 'with --lab: write the versions into the config without being asked' },
      YES,
      FULL,
    ],
    examples: [
      { command: 'oxherd upgrade --talos v1.14.1', does: 'shows the path, asks, and goes it' },
      { command: 'oxherd upgrade --kubernetes v1.37.0 --yes', does: 'one minor after the other' },
      { command: 'oxherd upgrade', does: 'goes on where the last one was interrupted' },
    ],
    load: () => import('../commands/upgrade.js'),
  },
  {
    name: 'destroy',
    summary: 'remove the VMs; data is kept unless told',
    options: [
      YES,
      FULL,
      { flags: '--delete-data', description: 'destroy the data as well; needs --confirm' },
      { flags: '--confirm <cluster>', description: 'the name of the cluster whose data is to be destroyed' },
    ],
    examples: [
      { command: 'oxherd destroy', does: 'removes the Talos VMs and keeps every data VM' },
      { command: 'oxherd destroy --delete-data --confirm homelab', does: 'removes everything' },
    ],
    load: () => import('../commands/destroy.js'),
  },
];
