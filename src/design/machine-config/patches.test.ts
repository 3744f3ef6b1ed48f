import { expect, it } from 'vitest';
import { config } from '../../../test/support/design/config.js';
import { design } from '../design-cluster.js';
import { MachineConfigWriter } from './machine-config.js';

it('access to the Talos API goes to control planes alone: Talos refuses it on workers', () => {
  const base = config();
  const kubernetesTalosAPIAccess = {
    enabled: true,
    allowedRoles: ['os:reader'],
    allowedKubernetesNamespaces: ['kube-system'],
  };
  const hostDNS = { enabled: true, forwardKubeDNSToHost: false };
  const made = config({
    cluster: { ...base.cluster, machineFeatures: { kubernetesTalosAPIAccess, hostDNS } },
  });
  const writer = new MachineConfigWriter(made, design(made));
  const [plane, worker] = ['cp-1', 'work-1'].map((node) => writer.forNode(node).text());
  expect(plane).toContain('kubernetesTalosAPIAccess');
  expect(worker).not.toContain('kubernetesTalosAPIAccess');
  for (const text of [plane, worker]) expect(text).toContain('forwardKubeDNSToHost: false');
});
