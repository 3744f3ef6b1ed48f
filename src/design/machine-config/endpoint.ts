/** Where the Kubernetes API is, and under which names its certificate must be good. */

import type { Config } from '../../config/config.js';
import type { Role } from '../../config/config-values.js';
import { OxherdError } from '../../model/error.js';

const API_PORT = 6443;

export function controlPlanes(config: Config): Config['nodes'] {
  return config.nodes.filter((node) => node.role === 'controlplane');
}

/** `https://host:port` that kubelets and people use. */
export function clusterEndpoint(config: Config): string {
  const { endpoint, vip } = config.cluster;
  if (endpoint !== undefined) return endpoint;
  if (vip !== undefined) return `https://${vip}:${API_PORT}`;
  const [only, ...others] = controlPlanes(config);
  if (only && others.length === 0) return `https://${only.ip}:${API_PORT}`;
  throw new OxherdError(
    'design.no-endpoint',
    'several control planes need one address for the Kubernetes API',
    {
      where: 'cluster',
      advice: 'Set cluster.vip to a free address of the subnet, or cluster.endpoint to a load balancer.',
    },
  );
}

/** Names of the Talos API's certificate beyond the machine's own, which Talos adds; workers answer to no others. */
export function machineNames(config: Config, role: Role): string[] {
  return role === 'controlplane' ? [...new Set([...sharedNames(config), ...config.cluster.certSANs])] : [];
}

/** Names of the API server's certificate: however a client reaches a control plane, the name is good. */
export function apiServerNames(config: Config): string[] {
  const addresses = controlPlanes(config).map((node) => node.ip);
  return [...new Set([...sharedNames(config), ...addresses, ...config.cluster.certSANs])];
}

function sharedNames(config: Config): string[] {
  const { vip } = config.cluster;
  const host = new URL(clusterEndpoint(config)).hostname.replace(/^\[|\]$/g, '');
  return [...(vip === undefined ? [] : [vip]), host];
}
