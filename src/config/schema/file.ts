/** The whole file. */
import { z } from 'zod';
import { backupSchema } from './backup.js';
import { clusterSchema } from './cluster.js';
import { hostsSchema } from './hosts.js';
import { optional, required } from './key.js';
import { kubernetesSchema } from './kubernetes.js';
import { defaultsSchema } from './machine.js';
import { networkSchema } from './network.js';
import { nodesSchema } from './nodes.js';
import { policySchema } from './policy.js';
import { proxmoxSchema } from './proxmox.js';
import { talosSchema } from './talos.js';
import { volumesSchema } from './volumes.js';

export const fileSchema = z.strictObject({
  cluster: required(clusterSchema, 'The Kubernetes cluster.'),
  talos: required(talosSchema, 'Talos Linux: version, image and patches.'),
  proxmox: required(proxmoxSchema, 'The Proxmox VE that runs it.'),
  network: required(networkSchema, 'Network of the nodes, and the defaults of their first NIC.'),
  defaults: optional(defaultsSchema, 'Values for nodes: `all`, then the role, then the node itself.'),
  nodes: required(nodesSchema, 'Nodes by name, one by one or as groups with `count`.'),
  volumes: optional(volumesSchema, 'Volumes by name. Taking one out keeps its data.'),
  hosts: optional(hostsSchema, 'Proxmox hosts: their capacity and what else lives there.'),
  kubernetes: optional(kubernetesSchema, 'What the cluster starts with.'),
  backup: optional(
    backupSchema,
    'A backup job in Proxmox for the VMs of the nodes, and how old backups may be.',
  ),
  policy: optional(policySchema, 'How changes are applied.'),
});
/** The file with its values parsed; nothing merged yet. */
export type ConfigFile = z.output<typeof fileSchema>;
