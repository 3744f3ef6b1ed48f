/** Commands for the Talos secrets. */
import type { LoadableCommand } from '../command-spec.js';

export const SECRETS_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'secrets',
    summary: 'the Talos secrets: make, take in, give out',
    examples: [{ command: 'oxherd secrets init', does: 'makes secrets.sops.yaml beside the config' }],
    children: [
      {
        name: 'init',
        summary: 'make new secrets, encrypted with age (SOPS)',
        examples: [{ command: 'oxherd secrets init', does: 'writes secrets.sops.yaml; never overwrites' }],
        load: () => import('../commands/secrets-init.js'),
      },
      {
        name: 'import',
        summary: 'import the secrets of an existing cluster from a file or from a running control plane',
        args: [
          {
            name: '[file]',
            description:
              "of `talosctl gen secrets`, talhelper's talsecret.sops.yaml, the Terraform module's output/talos-machine-secrets.yaml, or a control plane's machine config",
          },
        ],
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
            command: 'oxherd secrets import output/talos-machine-secrets.yaml',
            does: 'imports those of the Terraform module',
          },
          {
            command: 'oxherd secrets import --from-node 10.20.30.41',
            does: 'brings back secrets whose file is lost, while a talosconfig is valid',
          },
        ],
        load: () => import('../commands/secrets-import.js'),
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
        load: () => import('../commands/secrets-export.js'),
      },
      {
        name: 'rotate-admin',
        summary: 'issue a new admin certificate for talosconfig and kubeconfig',
        examples: [{ command: 'oxherd secrets rotate-admin', does: 'writes both files anew' }],
        load: () => import('../commands/secrets-rotate-admin.js'),
      },
      {
        name: 'rotate-csi',
        summary: 'give the CSI driver a new Proxmox token; the old one ends at once',
        examples: [
          { command: 'oxherd secrets rotate-csi', does: "replaces the token in the cluster's secret" },
        ],
        load: () => import('../commands/secrets-rotate-csi.js'),
      },
    ],
  },
];
