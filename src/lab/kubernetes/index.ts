import type { LabCore } from '../lab.js';
import { KubeApi } from './api/kube-api.js';
import { bootstrapObjects } from './bootstrap.js';
import { API_PORT, type KubernetesLab, type KubernetesOptions, prefixOf, runCluster } from './cluster.js';
import type { ControlProgram } from './controllers/index.js';
import { SimulatedObjects } from './controllers/simulated-objects.js';
import type { ClusterDescription } from './feed.js';
import { listen } from './http/listener.js';
import { ServiceAccountTokens } from './http/tokens.js';
import { servingCertificate } from './serving-certificate.js';
import { ObjectStore } from './storage/object-store.js';

export { API_PORT, type KubernetesLab, type KubernetesOptions } from './cluster.js';
export type { ClusterDescription, CsiBackend, KubernetesFeed, NodeDescription } from './feed.js';
export { type RecordingsKubernetes, startRecordingsKubernetes } from './recordings-profile.js';

export interface SimulatedKubernetes extends KubernetesLab {
  readonly api: KubeApi;
}

/** A cluster on the lab's own API: one store, reached through every API server that its machines run. */
export function startKubernetes(core: LabCore, options: KubernetesOptions = {}): SimulatedKubernetes {
  const prefix = prefixOf(options);
  const api = new KubeApi(new ObjectStore(core.store, prefix), core.clock, core.random);
  const facts = core.store.table<ClusterDescription>(`${prefix}/description`);
  let quorum = true;
  bootstrapObjects(api);
  const server = {
    api,
    tokens: new Map(),
    accountTokens: new ServiceAccountTokens(core.store.table<string>(`${prefix}/keys`)),
    faults: core.faults,
    logs: core.store.table<string>(`${prefix}/logs`),
    version: () => facts.get('cluster')?.version ?? 'v0.0.0',
    quorum: () => quorum,
  };
  const backend = {
    objects: new SimulatedObjects(api),
    programs: new Set<ControlProgram>(),
    async open(ip: string, description: ClusterDescription) {
      const bind = core.network.bindFor(ip, API_PORT);
      const serving = await servingCertificate(description, [ip, bind.host]);
      return listen(server, core.network, ip, API_PORT, serving, description.authority.certificate);
    },
    quorum(holds: boolean) {
      quorum = holds;
    },
    close: () => Promise.resolve(),
  };
  return { ...runCluster(core, backend, options), api };
}
