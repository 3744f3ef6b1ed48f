/** The Kubernetes side of a site: a client from our own secrets, and what should be in the cluster. */
import type { ClusterAccess } from '../../apply/support/context.js';
import { downloadText } from '../../clients/download.js';
import { connectKubernetes, type KubernetesConnection } from '../../clients/kubernetes/client.js';
import type { Dial } from '../../clients/kubernetes/connection.js';
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import type { GitopsSecrets } from '../../design/kubernetes/gitops.js';
import { type KubernetesDesign, kubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { clusterEndpoint, controlPlanes } from '../../design/machine-config/endpoint.js';
import type { Clock } from '../../model/clock.js';
import type { WriteGate } from '../../model/write-gate.js';
import type { Observed } from '../../observe/observed.js';
import { csiSizes } from '../../plan/kubernetes/csi/plan-csi-volumes.js';
import { issueKubernetesAdmin } from '../../secrets/generate.js';
import { fromBase64Pem } from '../../secrets/pem.js';
import { selfSignedRsa } from '../../secrets/self-signed.js';
import { systemEnvironment } from '../../secrets/store.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import type { SessionContext } from '../context.js';
import { guarded } from './read-only.js';
import { resolveSecret } from './resolve-secret.js';

export interface ClusterSide {
  /** `undefined` without secrets. */
  readonly client: KubernetesConnection | undefined;
  /** Where API servers should answer: the VIP or load balancer, and every control plane. */
  readonly endpoints: readonly string[];
  design(design: Design, observed: Pick<Observed, 'storages' | 'volumes' | 'vms'>): Promise<KubernetesDesign>;
  /** For steps: what they write passes the gate. */
  access(design: KubernetesDesign, gate: WriteGate): ClusterAccess | undefined;
  close(): void;
}

interface ClusterSideInput {
  readonly config: Config;
  readonly directory: string;
  readonly clock: Clock;
  readonly dial?: Dial;
  readonly secrets: TalosSecrets | undefined;
}

export async function openClusterSide(
  context: Pick<SessionContext, 'env' | 'readOnly' | 'traffic'>,
  input: ClusterSideInput,
): Promise<ClusterSide> {
  const { config, secrets } = input;
  const endpoints = apiEndpoints(config);
  const connected = secrets && (await connect(input, secrets, endpoints, context.traffic?.parallel));
  const client = connected && context.readOnly === true ? guarded(connected) : connected;
  const environment = systemEnvironment({});
  return {
    client,
    endpoints,
    async design(design, observed) {
      const key = config.kubernetes.sealedSecrets?.key;
      return kubernetesDesign(config, design, {
        storages: observed.storages,
        ...csiSizes(design, observed),
        ...(key && { sealedKey: `${await resolveSecret(context, input.directory, key)}\n` }),
        gitops: await gitopsSecrets(context, input),
      });
    },
    access: (design, gate) =>
      client && {
        client: client.behind(gate),
        design,
        download: (url) => downloadText(url, input.dial),
        newSealedKey: () => selfSignedRsa('sealed-secret', environment),
      },
    close: () => void client?.close(),
  };
}

async function gitopsSecrets(
  context: Pick<SessionContext, 'env'>,
  { config, directory }: ClusterSideInput,
): Promise<GitopsSecrets> {
  const { key, password } = config.kubernetes.gitops?.source ?? {};
  return {
    ...(key && { key: await resolveSecret(context, directory, key) }),
    ...(password && { password: await resolveSecret(context, directory, password) }),
  };
}

function apiEndpoints(config: Config): string[] {
  const shared = clusterEndpoint(config)
    .replace(/^https:\/\//, '')
    .replace(/:6443$/, '');
  return [...new Set([shared, ...controlPlanes(config).map((node) => node.ip)])];
}

async function connect(
  { clock, dial }: ClusterSideInput,
  secrets: TalosSecrets,
  endpoints: readonly string[],
  connections?: number,
): Promise<KubernetesConnection> {
  const { now, random } = systemEnvironment({});
  const admin = await issueKubernetesAdmin(secrets, { now, random });
  return connectKubernetes({
    clock,
    endpoints,
    credentials: {
      ca: fromBase64Pem(secrets.certs.k8s.crt),
      certificate: fromBase64Pem(admin.crt),
      key: fromBase64Pem(admin.key),
    },
    ...(dial && { dial }),
    ...(connections !== undefined && { connections }),
  });
}
