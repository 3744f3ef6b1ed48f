import type { LabCore } from '../lab.js';
import { KubeApi } from './api/kube-api.js';
import { bootstrapObjects } from './bootstrap.js';
import { createAuthority, issue } from './certificates.js';
import type { User } from './http/authenticate.js';
import { type Listener, listen } from './http/listener.js';
import { ServiceAccountTokens } from './http/tokens.js';
import { ObjectStore } from './storage/object-store.js';

/** What the lab's ready file says of it. */
export interface RecordingsKubernetes {
  readonly ready: {
    readonly endpoint: string;
    /** PEM. */
    readonly ca: string;
    readonly token: string;
    readonly viewerToken: string;
  };
  close(): Promise<void>;
}

/**
 * An API server alone, without controllers and machines: the set-up `api` of the recordings.
 * Two users: one of system:masters, and `viewer`, who may do what a role says.
 */
export async function startRecordingsKubernetes(core: LabCore): Promise<RecordingsKubernetes> {
  const api = new KubeApi(new ObjectStore(core.store, 'kubernetes/recordings'), core.clock, core.random);
  bootstrapObjects(api);
  const token = core.random.hex(32);
  const viewerToken = core.random.hex(32);
  const tokens = new Map<string, User>([
    [token, { name: 'admin', groups: ['system:masters'] }],
    [viewerToken, { name: 'viewer', groups: [] }],
  ]);
  const authority = await createAuthority('kubernetes');
  const serving = await issue(authority, {
    commonName: 'kube-apiserver',
    addresses: ['127.0.0.1'],
    names: ['localhost', 'kubernetes'],
    usage: 'server',
  });
  const server = {
    api,
    tokens,
    accountTokens: new ServiceAccountTokens(core.store.table<string>('kubernetes/recordings/keys')),
    faults: core.faults,
    logs: core.store.table<string>('kubernetes/recordings/logs'),
    version: () => 'v1.37.1',
    quorum: () => true,
  };
  const listener: Listener = await listen(
    server,
    core.network,
    '127.0.0.1',
    0,
    serving,
    authority.certificate,
  );
  const { host, port } = listener.place;
  return {
    ready: { endpoint: `https://${host}:${port}`, ca: authority.certificate, token, viewerToken },
    close: () => listener.close(),
  };
}
