/** Flags that every command takes, before or after its name. */
import { KUBERNETES_KINDS } from '../../model/kubernetes-kind.js';
import type { OptionSpec } from '../command-spec.js';
import { DEFAULT_CONFIG } from '../context.js';

const LOG_FORMATS = ['text', 'json'] as const;

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '-c, --config <file>',
    description: 'the cluster: oxherd.yaml, a .tfvars file, or a folder of the template',
    default: DEFAULT_CONFIG,
  },
  { flags: '--lab', description: 'run on the embedded lab instead of a real Proxmox', default: false },
  { flags: '--lab-profile <name>', description: 'fixed world a new lab starts from' },
  {
    flags: '--lab-kubernetes <kind>',
    description: 'API of the lab’s clusters, also as --kubernetes real: etcd and kube-apiserver of the PATH',
    choices: KUBERNETES_KINDS,
  },
  {
    flags: '--fault <name>',
    description: 'inject a fault into the lab, may be repeated; an unknown name lists all',
    repeated: true,
  },
  { flags: '--json', description: 'print JSON, and nothing else, to stdout', default: false },
  { flags: '-v, --verbose', description: 'tell of every request to Proxmox on stderr', default: false },
  { flags: '-q, --quiet', description: 'tell of failures alone while it runs', default: false },
  {
    flags: '--log-format <format>',
    description: 'what goes to stderr: text, or one JSON object per line',
    choices: LOG_FORMATS,
  },
  { flags: '--no-color', description: 'no colours (as NO_COLOR does)' },
];
