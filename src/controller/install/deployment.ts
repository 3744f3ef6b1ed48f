/** The controller's pods, and what guards them. */
import type { KubernetesObject } from '../../clients/kubernetes/index.js';
import { MANAGED_BY } from '../api/group.js';
import { ACCOUNT } from './rbac.js';

export interface PodValues {
  /** The controller's own. */
  readonly namespace: string;
  readonly image: string;
  /** A number; the chart writes a template in its place. */
  readonly replicas: number | string;
  readonly leaseDuration: string;
}

const NAME = 'oxherd-controller';
const LABELS = {
  ...MANAGED_BY,
  'app.kubernetes.io/name': 'oxherd',
  'app.kubernetes.io/component': 'controller',
};
const SELECTOR = { 'app.kubernetes.io/name': 'oxherd', 'app.kubernetes.io/component': 'controller' };
const HEALTH_PORT = 8081;
const METRICS_PORT = 9090;
/** The dashboard: no Service of its own, it is reached by `kubectl port-forward`. */
const PAGE_PORT = 8082;
const WORK = '/var/lib/oxherd';

export function deployment(
  { namespace, image, replicas, leaseDuration }: PodValues,
  namespaceList: string,
): KubernetesObject {
  const container = {
    name: 'controller',
    image,
    args: [
      'controller',
      `--namespaces=${namespaceList}`,
      `--work-dir=${WORK}`,
      `--lease=${leaseDuration}`,
      `--health-port=${HEALTH_PORT}`,
      `--metrics-port=${METRICS_PORT}`,
      `--page-port=${PAGE_PORT}`,
    ],
    env: [
      { name: 'HOME', value: WORK },
      // Many small plans leave much garbage: a small nursery keeps the pod small.
      { name: 'NODE_OPTIONS', value: '--max-semi-space-size=4' },
    ],
    ports: [
      { name: 'health', containerPort: HEALTH_PORT },
      { name: 'metrics', containerPort: METRICS_PORT },
      { name: 'page', containerPort: PAGE_PORT },
    ],
    livenessProbe: { httpGet: { path: '/livez', port: 'health' }, periodSeconds: 20, timeoutSeconds: 5 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 10, timeoutSeconds: 5 },
    resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '768Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'work', mountPath: WORK },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: SELECTOR },
  };
  const pod = {
    serviceAccountName: ACCOUNT,
    // What runs comes to a safe end, and its leases are handed over.
    terminationGracePeriodSeconds: 60,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    topologySpreadConstraints: [spread],
    containers: [container],
    volumes: [
      { name: 'work', emptyDir: { medium: 'Memory', sizeLimit: '256Mi' } },
      // A snapshot of etcd is a file here before it is sent.
      { name: 'tmp', emptyDir: { sizeLimit: '4Gi' } },
    ],
  };
  const spec = {
    replicas,
    selector: { matchLabels: SELECTOR },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
    template: { metadata: { labels: LABELS }, spec: pod },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace, labels: LABELS },
    ...{ spec },
  };
}

export function disruptionBudget({ namespace }: PodValues): KubernetesObject {
  const spec = { maxUnavailable: 1, selector: { matchLabels: SELECTOR } };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: NAME, namespace, labels: LABELS },
    ...{ spec },
  };
}

export function metricsService({ namespace }: PodValues): KubernetesObject {
  const spec = {
    type: 'ClusterIP',
    selector: SELECTOR,
    ports: [{ name: 'metrics', port: METRICS_PORT, targetPort: 'metrics', protocol: 'TCP' }],
  };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `${NAME}-metrics`, namespace, labels: LABELS },
    ...{ spec },
  };
}

/** Probes and metrics come in. Out go DNS, APIs of Kubernetes, Proxmox and Talos, and HTTPS to the factory and to S3. */
export function networkPolicy({ namespace }: PodValues): KubernetesObject {
  const port = (number: number, protocol = 'TCP') => ({ port: number, protocol });
  const spec = {
    podSelector: { matchLabels: SELECTOR },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: [port(HEALTH_PORT), port(METRICS_PORT)] }],
    egress: [
      { ports: [port(53), port(53, 'UDP')] },
      { ports: [port(443), port(6443), port(8006), port(50_000)] },
    ],
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: NAME, namespace, labels: LABELS },
    ...{ spec },
  };
}
