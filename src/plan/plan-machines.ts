/** From running VMs to a Talos cluster: configs, bootstrap, files for clients. */

import type { NodeDesign } from '../design/design.js';
import { planGrowth } from './drives/plan-growth.js';
import type { PlanContext } from './input.js';
import { planKubernetesUpgrade } from './kubernetes/plan-kubernetes-upgrade.js';
import { planLeftManifests, planTalosManifests } from './kubernetes/plan-manifest-sync.js';
import { planBootstrap } from './machines/plan-bootstrap.js';
import { planConfig } from './machines/plan-machine-config.js';
import { planTalosUpgrades } from './machines/plan-talos-upgrade.js';
import { drafted, type Planned } from './planned.js';
import { notePromotions } from './recovery/plan-ephemeral-reset.js';
import { planOldSystemDisk } from './vms/plan-replace.js';

export function planMachines(given: PlanContext, nodes: readonly NodeDesign[], whole: boolean): Planned {
  return drafted(given, (context) => {
    const { machines, list } = context;
    if (!machines) return;
    const secrets = list.steps.find((step) => step.kind === 'create-secrets')?.id;
    const configured = nodes.map(
      (node) => [node, context.take(planConfig(context, node, machines, secrets))] as const,
    );
    // What starts again is compared when it has begun.
    const steady = nodes.filter((node) => !context.resets.has(node.name));
    context.take(planTalosUpgrades(context, steady));
    context.take(planGrowth(context, steady, machines));
    context.take(planKubernetesUpgrade(context, steady, machines));
    context.take(planTalosManifests(context));
    if (whole) context.take(planLeftManifests(context));
    const bootstrap = context.take(planBootstrap(context, configured));
    for (const [node, step] of configured) {
      // A machine that only got another config is ready or not as it was before.
      if (!isFirstConfig(context, step) && !bootstrap) continue;
      list.add(node.name, {
        kind: 'await-machine',
        node: node.name,
        title: `wait until ${node.name} is ready`,
        reasons: [node.role === 'controlplane' ? 'services, etcd member, volumes' : 'services, volumes'],
        impact: 'none',
        needs: [step, bootstrap],
        ip: node.ip,
        role: node.role,
        vmid: node.talosVm.vmid,
        host: node.host,
      });
    }
    for (const node of nodes) context.take(planOldSystemDisk(context, node));
    context.take(notePromotions(context, nodes));
    if (whole && !machines.clientFiles.current) {
      list.add('local', {
        kind: 'write-client-files',
        title: `write kubeconfig and talosconfig to ${machines.clientFiles.folder}`,
        reasons: ['for kubectl and talosctl'],
        impact: 'none',
        needs: [secrets],
        folder: machines.clientFiles.folder,
      });
    }
  });
}

function isFirstConfig({ list }: PlanContext, id: string | undefined): boolean {
  return list.steps.some((step) => step.id === id && step.kind === 'configure-machine');
}

/** First of all steps: everything that is secret depends on it. */
export function planSecrets(given: PlanContext): Planned {
  return drafted(given, ({ machines, list }) => {
    if (!machines || machines.secrets.present) return;
    list.add('talos', {
      kind: 'create-secrets',
      title: `create the cluster secrets in ${machines.secrets.path}`,
      reasons: ['there are none'],
      impact: 'none',
      path: machines.secrets.path,
    });
  });
}
