/** Steps of a memory change on every node and a Kubernetes upgrade, as planners write them, for as many nodes as asked. */
import type { ComponentVersions } from '../../../src/design/machine-config/context.js';
import type { Vmid } from '../../../src/model/identity.js';
import type { Plan } from '../../../src/plan/plan.js';
import { StepList } from '../../../src/plan/step-list.js';
import type { Step } from '../../../src/plan/steps.js';

export interface RolledNode {
  readonly name: string;
  readonly vmid: number;
  readonly role: 'controlplane' | 'worker';
  /** MiB before and after. */
  readonly memory: readonly [number, number];
}

export function nodesOf(controlPlanes: number, workers: number): RolledNode[] {
  const some = (role: RolledNode['role'], name: string, count: number, first: number) =>
    Array.from({ length: count }, (_, index): RolledNode => {
      return { name: `${name}-${index + 1}`, vmid: first + index, role, memory: [4096, 6144] };
    });
  return [...some('controlplane', 'cp', controlPlanes, 141), ...some('worker', 'work', workers, 151)];
}

export function rolledPlan(nodes: readonly RolledNode[], path: readonly string[] = []): Plan {
  return {
    format: 2,
    planId: '0123456789abcdef',
    desired: 'd',
    cluster: { name: 'herd', env: 'dev' },
    action: 'apply',
    steps: rolledSteps(nodes, path),
    problems: [],
    incomplete: [],
    notes: [],
  };
}

export function rolledSteps(nodes: readonly RolledNode[], path: readonly string[]): readonly Step[] {
  const list = new StepList();
  let before: string[] = [];
  for (const node of nodes) before = [restart(list, node, nodes, before)];
  upgrade(list, nodes, path);
  return list.steps;
}

function restart(list: StepList, node: RolledNode, nodes: readonly RolledNode[], before: string[]): string {
  const { name, role } = node;
  const vmid = node.vmid as Vmid;
  const [host, ip] = [`pve${(vmid % 3) + 1}`, `10.0.0.${vmid}`];
  const reasons = [`memory ${node.memory[0]} → ${node.memory[1]}`];
  const set = list.add(String(vmid), {
    kind: 'set-options',
    node: name,
    title: `set memory of VM ${vmid} (${name})`,
    reasons,
    impact: 'live',
    vmid,
    host,
    changes: { memory: { from: String(node.memory[0]), to: String(node.memory[1]) } },
  });
  const begin = list.add(name, {
    kind: 'begin-disruption',
    node: name,
    title: `drain ${name}`,
    impact: 'none',
    needs: [...before, set],
    ip,
    role,
    vmid,
    controlPlanes: [],
    outage: role === 'controlplane' && nodes.filter((other) => other.role === role).length < 3,
    others: [],
    maxAway: 1,
    gates: [],
    drain: { timeoutSeconds: 60, deleteLocalData: false, force: false },
  });
  const restarted = list.add(String(vmid), {
    kind: 'restart-vm',
    node: name,
    title: `restart VM ${vmid} (${name})`,
    reasons,
    impact: 'restart',
    needs: [begin],
    vmid,
    host,
    asked: false,
  });
  return list.add(name, {
    kind: 'end-disruption',
    node: name,
    title: `wait until ${name} is Ready`,
    impact: 'none',
    needs: [restarted],
    ip,
    role,
    vmid,
  });
}

const COMPONENTS = ['apiServer', 'controllerManager', 'scheduler', 'proxy', 'kubelet'] as const;

function upgrade(list: StepList, nodes: readonly RolledNode[], [start, ...hops]: readonly string[]): void {
  if (start === undefined || hops.length === 0) return;
  const running = new Map(nodes.map(({ name }) => [name, allAt(start)]));
  for (const { name, vmid } of nodes)
    list.add(name, {
      kind: 'pull-images',
      node: name,
      title: `pull the images of Kubernetes ${hops.join(' and ')} on ${name}`,
      impact: 'none',
      ip: `10.0.0.${vmid}`,
      images: [],
    });
  for (const to of hops) {
    for (const component of COMPONENTS)
      for (const { name, role, vmid } of nodes) {
        if (role === 'worker' && component !== 'kubelet') continue;
        const components = { ...(running.get(name) ?? allAt(start)), [component]: to };
        running.set(name, components);
        list.add(`${name}/${component}/${to}`, {
          kind: 'upgrade-component',
          node: name,
          title: `${component} of ${name} to Kubernetes ${to}`,
          impact: 'live',
          ip: `10.0.0.${vmid}`,
          role,
          component,
          from: start,
          to,
          components,
          others: [],
          fromHash: '',
          configHash: '',
        });
      }
    list.add(to, {
      kind: 'sync-manifests',
      title: `update manifests to ${to}`,
      impact: 'live',
      controlPlanes: [],
    });
  }
}

function allAt(version: string): ComponentVersions {
  return {
    apiServer: version,
    controllerManager: version,
    scheduler: version,
    proxy: version,
    kubelet: version,
  };
}
