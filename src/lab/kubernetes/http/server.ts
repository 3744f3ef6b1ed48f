import type { Faults } from '../../faults.js';
import type { Table } from '../../store.js';
import type { KubeApi } from '../api/kube-api.js';
import type { User } from './authenticate.js';
import type { ServiceAccountTokens } from './tokens.js';

/** What the request handlers work with. */
export interface Server {
  readonly api: KubeApi;
  readonly tokens: ReadonlyMap<string, User>;
  /** Those of service accounts. */
  readonly accountTokens: ServiceAccountTokens;
  readonly faults: Faults;
  /** Pod uid → what its containers printed. */
  readonly logs: Table<string>;
  /** `v1.37.1`. */
  readonly version: () => string;
  /** Whether etcd can be written to: without it only the process itself is alive. */
  readonly quorum: () => boolean;
}
