import type { ClusterDescription, CsiBackend } from '../feed.js';
import type { KubeObject } from '../object.js';
import { gitopsController } from './gitops.js';
import {
  garbageController,
  namespaceContentController,
  namespaceEndController,
  podGarbageController,
} from './housekeeping.js';
import { loadBalancerController } from './load-balancer.js';
import { manifestController } from './manifests.js';
import { nodeLifecycleController } from './nodes/node-lifecycle.js';
import { heartbeat, kubeletController } from './nodes/node-status.js';
import { budgetController } from './pods/budgets.js';
import { podLifecycleController } from './pods/pod-lifecycle.js';
import { schedulerController } from './pods/scheduler.js';
import { systemPodController } from './pods/system-pods.js';
import { csiNodeController } from './volumes/csi-driver.js';
import { attachDetachController, attacherController } from './volumes/volume-attachment.js';
import { bindingController } from './volumes/volume-binding.js';
import { expansionController } from './volumes/volume-expansion.js';
import { provisioningController } from './volumes/volume-provisioning.js';
import { volumesInUseController } from './volumes/volumes-in-use.js';
import { daemonSetController } from './workloads/daemon-sets.js';
import { deploymentController } from './workloads/deployments.js';
import { endpointController } from './workloads/endpoints.js';
import { jobController } from './workloads/jobs.js';
import { replicaSetController } from './workloads/replica-sets.js';
import { statefulSetController } from './workloads/stateful-sets.js';
import { type Controller, soonest, type World } from './world.js';

/** Programs of the control plane that a lab may really run; what they do is then theirs alone. */
export type ControlProgram = 'kube-controller-manager' | 'kube-scheduler';

interface ControllerSetup {
  /** Those that run, and whose work the lab leaves to them. */
  readonly programs: ReadonlySet<ControlProgram>;
  readonly cluster: () => ClusterDescription | undefined;
  /** What Talos was given to create and has not yet. */
  readonly manifests: unknown[];
  readonly csi: CsiBackend;
  /** Nodes someone created by hand whose kubelet the lab plays, as kwok does. */
  readonly adopts: (node: KubeObject) => boolean;
}

/** All of them, in an order in which one round brings most things to rest. */
export function allControllers(setup: ControllerSetup): Controller[] {
  const runs = (world: World, name: string) => {
    if (world.machines.get(name)?.up) return true;
    const node = world.find('nodes', undefined, name);
    return node !== undefined && setup.adopts(node);
  };
  const manager = (...controllers: Controller[]) =>
    setup.programs.has('kube-controller-manager') ? [] : controllers;
  const scheduler = setup.programs.has('kube-scheduler') ? [] : [schedulerController];
  return [
    manifestController(setup.manifests),
    ...manager(namespaceContentController(() => setup.cluster()?.authority.certificate ?? '')),
    // With Talos's own network the flannel pods bring it, without one whatever is installed later.
    kubeletController(() => true),
    adoptedKubelets(setup.adopts),
    systemPodController(setup.cluster),
    ...manager(
      nodeLifecycleController,
      deploymentController,
      replicaSetController,
      statefulSetController,
      daemonSetController,
      jobController,
    ),
    csiNodeController(setup.csi),
    ...manager(bindingController),
    provisioningController(setup.csi),
    ...scheduler,
    volumesInUseController,
    ...manager(attachDetachController),
    attacherController(setup.csi),
    expansionController(setup.csi),
    loadBalancerController,
    gitopsController,
    podLifecycleController(runs),
    ...manager(
      endpointController,
      budgetController,
      garbageController,
      podGarbageController,
      namespaceEndController,
    ),
  ];
}

function adoptedKubelets(adopts: (node: KubeObject) => boolean): Controller {
  return {
    reconcile: (world) =>
      soonest(
        ...world
          .list('nodes')
          .filter(adopts)
          .map((node) => heartbeat(world, node.metadata.name, true)),
      ),
  };
}
