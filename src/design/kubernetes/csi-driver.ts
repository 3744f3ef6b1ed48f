/**
 * The Proxmox CSI driver as objects of our own: controller, node plugin, their rights and the CSIDriver. Ports, arguments,
 * rights and mounts are those of the release that is pinned here; which nodes it runs on is ours: upstream's manifest for
 * Talos asks for a label that only a cloud controller sets.
 */
import type { Config } from '../../config/config.js';
import type { CsiImageName } from '../../config/kubernetes-config.js';
import type { KubeObject } from './managed-object.js';
import { CSI_DRIVER } from './persistent-volumes.js';

export const CSI_NAMESPACE = 'csi-proxmox';
export const CSI_SECRET = 'proxmox-csi-plugin';
export const CSI_CONTROLLER = 'proxmox-csi-plugin-controller';
export const CSI_NODE = 'proxmox-csi-plugin-node';
/** The release whose images, arguments and rights these are. */
export const CSI_DRIVER_VERSION = 'v0.19.1';

/** Images by the key of `kubernetes.csi.images`; sidecars as that release pins them. */
export const CSI_IMAGES = {
  controller: `ghcr.io/sergelogvinov/proxmox-csi-controller:${CSI_DRIVER_VERSION}`,
  node: `ghcr.io/sergelogvinov/proxmox-csi-node:${CSI_DRIVER_VERSION}`,
  attacher: 'registry.k8s.io/sig-storage/csi-attacher:v4.10.0',
  provisioner: 'registry.k8s.io/sig-storage/csi-provisioner:v5.3.0',
  resizer: 'registry.k8s.io/sig-storage/csi-resizer:v1.14.0',
  registrar: 'registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.15.0',
  livenessProbe: 'registry.k8s.io/sig-storage/livenessprobe:v2.16.0',
} as const satisfies CsiImages;

type CsiImages = Readonly<Record<CsiImageName, string>>;

type Json = Readonly<Record<string, unknown>>;

const SOCKET = '--csi-address=unix:///csi/csi.sock';
const PLUGIN_FOLDER = `/var/lib/kubelet/plugins/${CSI_DRIVER}`;
/** The verbosity upstream runs with: what the driver did to a disk is in its log. */
const VERBOSE = '-v=5';
const READ = ['get', 'list', 'watch'] as const;

/** Empty where the driver is brought by other means. */
export function csiDriverObjects(config: Config): KubeObject[] {
  const csi = config.kubernetes.csi;
  if (csi?.driver !== 'built-in') return [];
  const images = { ...CSI_IMAGES, ...csi.images };
  return [
    csiDriver(),
    ...[CSI_CONTROLLER, CSI_NODE].map(serviceAccount),
    clusterRole(CSI_CONTROLLER, CONTROLLER_RULES),
    clusterRole(CSI_NODE, [rule('', ['nodes'], ['get'])]),
    ...[CSI_CONTROLLER, CSI_NODE].map(clusterRoleBinding),
    leaderRole(),
    leaderRoleBinding(),
    controllerDeployment(images),
    nodeDaemonSet(images, config.proxmox.cluster),
  ];
}

function csiDriver(): KubeObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: CSI_DRIVER },
    spec: {
      attachRequired: true,
      podInfoOnMount: true,
      storageCapacity: true,
      volumeLifecycleModes: ['Persistent'],
    },
  };
}

function serviceAccount(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: CSI_NAMESPACE } };
}

function rule(apiGroup: string, resources: readonly string[], verbs: readonly string[]): Json {
  return { apiGroups: [apiGroup], resources, verbs };
}

const CONTROLLER_RULES = [
  rule('', ['persistentvolumes'], [...READ, 'create', 'patch', 'delete']),
  rule('', ['persistentvolumeclaims'], [...READ, 'update']),
  rule('', ['persistentvolumeclaims/status'], ['patch']),
  rule('', ['events'], [...READ, 'create', 'update', 'patch']),
  rule('', ['nodes'], READ),
  rule('storage.k8s.io', ['storageclasses', 'csinodes', 'volumeattributesclasses'], READ),
  rule('storage.k8s.io', ['volumeattachments'], [...READ, 'patch']),
  rule('storage.k8s.io', ['volumeattachments/status'], ['patch']),
  rule('snapshot.storage.k8s.io', ['volumesnapshots'], ['get', 'list']),
];

const RBAC = 'rbac.authorization.k8s.io';

function clusterRole(name: string, rules: readonly Json[]): KubeObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules };
}

function clusterRoleBinding(name: string): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: CSI_NAMESPACE }],
  };
}

/** What the sidecars need in their own namespace: leases, published capacities, and who owns their pod. */
function leaderRole(): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { name: CSI_CONTROLLER, namespace: CSI_NAMESPACE },
    rules: [
      rule('coordination.k8s.io', ['leases'], [...READ, 'create', 'update', 'delete']),
      rule('storage.k8s.io', ['csistoragecapacities'], [...READ, 'create', 'update', 'patch', 'delete']),
      rule('', ['pods'], ['get']),
      rule('apps', ['replicasets'], ['get']),
    ],
  };
}

function leaderRoleBinding(): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: CSI_CONTROLLER, namespace: CSI_NAMESPACE },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: CSI_CONTROLLER },
    subjects: [{ kind: 'ServiceAccount', name: CSI_CONTROLLER, namespace: CSI_NAMESPACE }],
  };
}

const UNPRIVILEGED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const SMALL = { requests: { cpu: '10m', memory: '16Mi' } };

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly mounts: Json[];
  readonly more?: Json;
}

function container({ name, image, args, mounts, more = {} }: Container): Json {
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    args: [VERBOSE, SOCKET, ...args],
    resources: SMALL,
    securityContext: UNPRIVILEGED,
    volumeMounts: mounts,
    ...more,
  };
}

function fieldEnv(name: string, fieldPath: string): Json {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

function labelsOf(component: string): Record<string, string> {
  const name = 'proxmox-csi-plugin';
  return {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': component,
  };
}

/** On a control plane: it must run while workers are drained, and reaches Proxmox from where Talos's API is. */
function controllerDeployment(images: CsiImages): KubeObject {
  const labels = labelsOf('controller');
  const socket = { name: 'socket-dir', mountPath: '/csi' };
  const sidecar = (name: string, image: string, args: readonly string[], more: Json = {}) =>
    container({ name, image, args, mounts: [socket], more });
  const patient = ['--timeout=3m', '--leader-election'];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: CSI_CONTROLLER, namespace: CSI_NAMESPACE, labels },
    spec: {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: 'system-cluster-critical',
          enableServiceLinks: false,
          serviceAccountName: CSI_CONTROLLER,
          securityContext: {
            fsGroup: 65532,
            fsGroupChangePolicy: 'OnRootMismatch',
            runAsGroup: 65532,
            runAsNonRoot: true,
            runAsUser: 65532,
          },
          nodeSelector: { 'node-role.kubernetes.io/control-plane': '' },
          tolerations: [
            { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
          ],
          containers: [
            container({
              name: CSI_CONTROLLER,
              image: images.controller,
              args: ['--cloud-config=/etc/proxmox/config.yaml'],
              mounts: [socket, { name: 'cloud-config', mountPath: '/etc/proxmox/' }],
            }),
            sidecar('csi-attacher', images.attacher, [...patient, '--default-fstype=ext4']),
            sidecar(
              'csi-provisioner',
              images.provisioner,
              [...patient, '--enable-capacity', '--capacity-ownerref-level=2', '--default-fstype=ext4'],
              { env: [fieldEnv('NAMESPACE', 'metadata.namespace'), fieldEnv('POD_NAME', 'metadata.name')] },
            ),
            sidecar('csi-resizer', images.resizer, [...patient, '--handle-volume-inuse-error=false']),
            sidecar('liveness-probe', images.livenessProbe, []),
          ],
          volumes: [
            { name: 'socket-dir', emptyDir: {} },
            { name: 'cloud-config', secret: { secretName: CSI_SECRET } },
          ],
        },
      },
    },
  };
}

/** On every node of this Proxmox cluster, drained ones too: volumes are unmounted by it. */
function nodeDaemonSet(images: CsiImages, region: string): KubeObject {
  const labels = labelsOf('node');
  const socket = { name: 'socket', mountPath: '/csi' };
  const host = (name: string, path: string, type: string) => ({ name, hostPath: { path, type } });
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: CSI_NODE, namespace: CSI_NAMESPACE, labels },
    spec: {
      updateStrategy: { type: 'RollingUpdate' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: 'system-node-critical',
          enableServiceLinks: false,
          serviceAccountName: CSI_NODE,
          securityContext: { runAsUser: 0, runAsGroup: 0 },
          nodeSelector: { 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/region': region },
          tolerations: [{ operator: 'Exists' }],
          containers: [
            container({
              name: CSI_NODE,
              image: images.node,
              args: ['--node-id=$(NODE_NAME)'],
              mounts: [
                socket,
                { name: 'kubelet', mountPath: '/var/lib/kubelet', mountPropagation: 'Bidirectional' },
                { name: 'dev', mountPath: '/dev' },
                { name: 'sys', mountPath: '/sys' },
              ],
              more: {
                env: [fieldEnv('NODE_NAME', 'spec.nodeName')],
                securityContext: {
                  privileged: true,
                  capabilities: { drop: ['ALL'], add: ['SYS_ADMIN', 'CHOWN', 'DAC_OVERRIDE'] },
                  seccompProfile: { type: 'RuntimeDefault' },
                },
              },
            }),
            container({
              name: 'csi-node-driver-registrar',
              image: images.registrar,
              args: [`--kubelet-registration-path=${PLUGIN_FOLDER}/csi.sock`],
              mounts: [socket, { name: 'registration', mountPath: '/registration' }],
            }),
            container({
              name: 'liveness-probe',
              image: images.livenessProbe,
              args: [],
              mounts: [socket],
            }),
          ],
          volumes: [
            host('socket', `${PLUGIN_FOLDER}/`, 'DirectoryOrCreate'),
            host('registration', '/var/lib/kubelet/plugins_registry/', 'Directory'),
            host('kubelet', '/var/lib/kubelet', 'Directory'),
            host('dev', '/dev', 'Directory'),
            host('sys', '/sys', 'Directory'),
          ],
        },
      },
    },
  };
}
