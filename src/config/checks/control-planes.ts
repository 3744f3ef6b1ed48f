/** How many control planes, and how they are reached. */
import type { Check } from './check.js';

export const controlPlanes: Check = {
  needs: ['nodes', 'cluster.vip', 'cluster.endpoint'],
  run({ config, report }) {
    const count = config.nodes.filter((node) => node.role === 'controlplane').length;
    if (count === 0) {
      report.error({
        code: 'cluster.no-control-plane',
        path: ['nodes'],
        message: 'the cluster has no control plane',
        hint: 'give at least one node `role: controlplane`',
        at: 'key',
      });
      return;
    }
    if (count % 2 === 0) {
      report.warning({
        code: 'cluster.even-control-planes',
        path: ['nodes'],
        message: `${count} control planes bear no more failures than ${count - 1}`,
        hint: 'etcd needs a majority: use an odd number',
        at: 'key',
      });
    }
    if (count > 1 && config.cluster.vip === undefined && config.cluster.endpoint === undefined) {
      report.error({
        code: 'cluster.no-endpoint',
        path: ['cluster'],
        message: `${count} control planes need one address for the Kubernetes API`,
        hint: 'add `vip` (a free address of the network), or `endpoint` (a load balancer)',
        at: 'key',
      });
    }
    if (count === config.nodes.length && !config.cluster.scheduleOnControlPlanes) {
      report.warning({
        code: 'cluster.nowhere-to-schedule',
        path: ['nodes'],
        message: 'there are no workers, and control planes take no workloads',
        hint: 'add workers, or `scheduleOnControlPlanes: true` to `cluster`',
        at: 'key',
      });
    }
  },
};
