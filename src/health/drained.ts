/** Nodes that are off on purpose, because their host is in maintenance: what follows from that is no failure. */
import type { Design } from '../design/design.js';
import type { Observed } from '../observe/observed.js';
import type { KubeWorkload } from '../observe/observed-kubernetes.js';
import type { Condition } from './condition.js';

interface DrainedNode {
  readonly host: string;
  readonly until?: string;
}

/** By name of the node. */
export type DrainedNodes = ReadonlyMap<string, DrainedNode>;

/** The cluster without what the drained nodes are missing from: their pods, and places of DaemonSets. */
export function withoutDrained(observed: Observed, drained: DrainedNodes): Observed {
  const { kubernetes } = observed;
  if (drained.size === 0 || !kubernetes) return observed;
  const { workloads, pods, cilium, csiDriver } = kubernetes;
  const fewer = (wanted: number, there: number) => Math.max(there, wanted - drained.size);
  const workload = (one: KubeWorkload): KubeWorkload =>
    one.kind === 'DaemonSet' ? { ...one, wanted: fewer(one.wanted, one.available) } : one;
  const plugins = csiDriver.known ? csiDriver.value.plugins : undefined;
  return {
    ...observed,
    kubernetes: {
      ...kubernetes,
      workloads: workloads.known ? { ...workloads, value: workloads.value.map(workload) } : workloads,
      pods: pods.known ? { ...pods, value: pods.value.filter(({ node }) => !drained.has(node)) } : pods,
      cilium: cilium.known
        ? { ...cilium, value: { ...cilium.value, desired: fewer(cilium.value.desired, cilium.value.ready) } }
        : cilium,
      csiDriver:
        csiDriver.known && plugins
          ? {
              ...csiDriver,
              value: {
                ...csiDriver.value,
                plugins: { ...plugins, wanted: fewer(plugins.wanted, plugins.available) },
                registered: [...new Set([...csiDriver.value.registered, ...drained.keys()])],
              },
            }
          : csiDriver,
    },
  };
}

/** One line for each drained node and its host, in place of all that fails because of it. */
export function sayDrained(
  conditions: readonly Condition[],
  { nodes }: Pick<Design, 'nodes'>,
  drained: DrainedNodes,
): Condition[] {
  if (drained.size === 0) return [...conditions];
  const hosts = new Set([...drained.values()].map(({ host }) => host));
  const said = new Set<string>();
  const off = nodes.filter(({ name }) => drained.has(name));
  return conditions.flatMap((condition): Condition[] => {
    const { subject = '', state, layer, name } = condition;
    if (state !== 'failed' && state !== 'unknown') return [condition];
    const node = off.find(
      (one) => subject === one.name || subject === one.ip || subject.endsWith(` ${one.name}`),
    );
    const [host = ''] = subject.split('/');
    const about = node ? drained.get(node.name) : undefined;
    if (node && about) {
      if (said.has(node.name)) return [];
      said.add(node.name);
      const until = about.until === undefined ? '' : ` (until ${about.until})`;
      const message = `drained for maintenance of ${about.host}${until}; bring it back with: oxherd host return ${about.host}`;
      return [{ layer, name, subject: node.name, state: 'note', message }];
    }
    if (layer !== 'proxmox' || !hosts.has(host)) return [condition];
    return [{ layer, name, subject, state: 'note', message: `${condition.message}: in maintenance` }];
  });
}
