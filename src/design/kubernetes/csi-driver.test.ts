/**
 * What our objects have to agree on with the driver's release: facts about proxmox-csi-plugin v0.19.1 (chart 0.5.9), read
 * from its release. A new pin has to be compared with them again.
 */
import { describe, expect, it } from 'vitest';
import { config } from '../../../test/support/design/config.js';
import { CSI_DRIVER_VERSION, CSI_IMAGES, csiDriverObjects } from './csi-driver.js';
import type { KubeObject } from './managed-object.js';

const CSI = {
  delete: false,
  acceptDeleteRisk: false,
  storageClasses: [],
  driver: 'built-in' as const,
  images: {},
};

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly volumeMounts: readonly { readonly mountPath: string; readonly mountPropagation?: string }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
}
interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly Container[];
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Readonly<Record<string, string>>[];
}

function objects(overrides: Partial<typeof CSI> & { images?: Record<string, string> } = {}): KubeObject[] {
  return csiDriverObjects(config({ kubernetes: { manifests: [], csi: { ...CSI, ...overrides } } }));
}

function podOf(kind: string): PodSpec {
  const object = objects().find((candidate) => candidate.kind === kind) as unknown as {
    spec: { template: { spec: PodSpec } };
  };
  return object.spec.template.spec;
}

function rulesOf(kind: string, name: string): string[] {
  const object = objects().find((one) => one.kind === kind && one.metadata.name === name);
  const rules = object?.rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.map((resource) => `${apiGroups.join()}/${resource}: ${[...verbs].sort().join(' ')}`),
  );
}

it('is the release that was compared', () => {
  expect(CSI_DRIVER_VERSION).toBe('v0.19.1');
  expect(CSI_IMAGES).toEqual({
    controller: 'ghcr.io/sergelogvinov/proxmox-csi-controller:v0.19.1',
    node: 'ghcr.io/sergelogvinov/proxmox-csi-node:v0.19.1',
    attacher: 'registry.k8s.io/sig-storage/csi-attacher:v4.10.0',
    provisioner: 'registry.k8s.io/sig-storage/csi-provisioner:v5.3.0',
    resizer: 'registry.k8s.io/sig-storage/csi-resizer:v1.14.0',
    registrar: 'registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.15.0',
    livenessProbe: 'registry.k8s.io/sig-storage/livenessprobe:v2.16.0',
  });
});

describe('the controller', () => {
  const pod = podOf('Deployment');
  it('runs the driver and its sidecars with the release’s arguments', () => {
    const common = ['-v=5', '--csi-address=unix:///csi/csi.sock'];
    expect(Object.fromEntries(pod.containers.map(({ name, args }) => [name, args]))).toEqual({
      'proxmox-csi-plugin-controller': [...common, '--cloud-config=/etc/proxmox/config.yaml'],
      'csi-attacher': [...common, '--timeout=3m', '--leader-election', '--default-fstype=ext4'],
      'csi-provisioner': [
        ...common,
        '--timeout=3m',
        '--leader-election',
        '--enable-capacity',
        '--capacity-ownerref-level=2',
        '--default-fstype=ext4',
      ],
      'csi-resizer': [...common, '--timeout=3m', '--leader-election', '--handle-volume-inuse-error=false'],
      'liveness-probe': common,
    });
  });
  it('finds its config in the secret, and shares the socket', () => {
    expect(pod.volumes).toEqual([
      { name: 'socket-dir', emptyDir: {} },
      { name: 'cloud-config', secret: { secretName: 'proxmox-csi-plugin' } },
    ]);
    const mounts = pod.containers.map(({ volumeMounts }) => volumeMounts.map((mount) => mount.mountPath));
    expect(mounts).toEqual([['/csi', '/etc/proxmox/'], ['/csi'], ['/csi'], ['/csi'], ['/csi']]);
  });
  it('has no privileges on the node', () => {
    for (const { securityContext } of pod.containers) {
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });
  it('has the rights of the release', () => {
    expect(rulesOf('ClusterRole', 'proxmox-csi-plugin-controller').sort()).toEqual([
      '/events: create get list patch update watch',
      '/nodes: get list watch',
      '/persistentvolumeclaims/status: patch',
      '/persistentvolumeclaims: get list update watch',
      '/persistentvolumes: create delete get list patch watch',
      'snapshot.storage.k8s.io/volumesnapshots: get list',
      'storage.k8s.io/csinodes: get list watch',
      'storage.k8s.io/storageclasses: get list watch',
      'storage.k8s.io/volumeattachments/status: patch',
      'storage.k8s.io/volumeattachments: get list patch watch',
      'storage.k8s.io/volumeattributesclasses: get list watch',
    ]);
    expect(rulesOf('Role', 'proxmox-csi-plugin-controller').sort()).toEqual([
      '/pods: get',
      'apps/replicasets: get',
      'coordination.k8s.io/leases: create delete get list update watch',
      'storage.k8s.io/csistoragecapacities: create delete get list patch update watch',
    ]);
  });
});

describe('the node plugin', () => {
  const pod = podOf('DaemonSet');
  it('registers with the kubelet under the driver’s name', () => {
    const common = ['-v=5', '--csi-address=unix:///csi/csi.sock'];
    expect(Object.fromEntries(pod.containers.map(({ name, args }) => [name, args]))).toEqual({
      'proxmox-csi-plugin-node': [...common, '--node-id=$(NODE_NAME)'],
      'csi-node-driver-registrar': [
        ...common,
        '--kubelet-registration-path=/var/lib/kubelet/plugins/csi.proxmox.sinextra.dev/csi.sock',
      ],
      'liveness-probe': common,
    });
  });
  it('mounts what the release mounts, and passes mounts on to pods', () => {
    expect(pod.volumes).toEqual([
      {
        name: 'socket',
        hostPath: {
          path: '/var/lib/kubelet/plugins/csi.proxmox.sinextra.dev/',
          type: 'DirectoryOrCreate',
        },
      },
      { name: 'registration', hostPath: { path: '/var/lib/kubelet/plugins_registry/', type: 'Directory' } },
      { name: 'kubelet', hostPath: { path: '/var/lib/kubelet', type: 'Directory' } },
      { name: 'dev', hostPath: { path: '/dev', type: 'Directory' } },
      { name: 'sys', hostPath: { path: '/sys', type: 'Directory' } },
    ]);
    const [plugin] = pod.containers;
    expect(plugin?.volumeMounts.find(({ mountPath }) => mountPath === '/var/lib/kubelet')).toMatchObject({
      mountPropagation: 'Bidirectional',
    });
    expect(plugin?.securityContext).toMatchObject({ privileged: true });
  });
  it('runs on every node of the region, drained ones too, by labels that Talos sets', () => {
    expect(pod.nodeSelector).toEqual({
      'kubernetes.io/os': 'linux',
      'topology.kubernetes.io/region': config().proxmox.cluster,
    });
    expect(pod.tolerations).toEqual([{ operator: 'Exists' }]);
  });
  it('may read nodes and nothing else', () => {
    expect(rulesOf('ClusterRole', 'proxmox-csi-plugin-node')).toEqual(['/nodes: get']);
  });
});

/** Field by field: what is not in these lists is either our own or was never compared. */
describe('every other field', () => {
  const RELEASE_POD = {
    Deployment: {
      priorityClassName: 'system-cluster-critical',
      enableServiceLinks: false,
      serviceAccountName: 'proxmox-csi-plugin-controller',
      securityContext: {
        fsGroup: 65532,
        fsGroupChangePolicy: 'OnRootMismatch',
        runAsGroup: 65532,
        runAsNonRoot: true,
        runAsUser: 65532,
      },
    },
    DaemonSet: {
      priorityClassName: 'system-node-critical',
      enableServiceLinks: false,
      serviceAccountName: 'proxmox-csi-plugin-node',
      securityContext: { runAsUser: 0, runAsGroup: 0 },
    },
  } as const;
  const sidecar = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  /** Name, image, security context, environment and mounts of each container; no container opens a port. */
  const RELEASE_CONTAINERS: Record<string, [string, object, object[] | undefined, string[]]> = {
    'proxmox-csi-plugin-controller': [
      CSI_IMAGES.controller,
      sidecar,
      undefined,
      ['socket-dir /csi', 'cloud-config /etc/proxmox/'],
    ],
    'csi-attacher': [CSI_IMAGES.attacher, sidecar, undefined, ['socket-dir /csi']],
    'csi-provisioner': [
      CSI_IMAGES.provisioner,
      sidecar,
      [field('NAMESPACE', 'metadata.namespace'), field('POD_NAME', 'metadata.name')],
      ['socket-dir /csi'],
    ],
    'csi-resizer': [CSI_IMAGES.resizer, sidecar, undefined, ['socket-dir /csi']],
    'Deployment liveness-probe': [CSI_IMAGES.livenessProbe, sidecar, undefined, ['socket-dir /csi']],
    'proxmox-csi-plugin-node': [
      CSI_IMAGES.node,
      {
        privileged: true,
        capabilities: { drop: ['ALL'], add: ['SYS_ADMIN', 'CHOWN', 'DAC_OVERRIDE'] },
        seccompProfile: { type: 'RuntimeDefault' },
      },
      [field('NODE_NAME', 'spec.nodeName')],
      ['socket /csi', 'kubelet /var/lib/kubelet Bidirectional', 'dev /dev', 'sys /sys'],
    ],
    'csi-node-driver-registrar': [
      CSI_IMAGES.registrar,
      sidecar,
      undefined,
      ['socket /csi', 'registration /registration'],
    ],
    'DaemonSet liveness-probe': [CSI_IMAGES.livenessProbe, sidecar, undefined, ['socket /csi']],
  };
  /** Decided here: which nodes, where the release asks for labels of a cloud controller or spreads replicas. */
  const OURS = ['nodeSelector', 'tolerations'];
  const LISTED_ABOVE = ['containers', 'volumes'];

  it.each(['Deployment', 'DaemonSet'] as const)('of the %s is the release’s', (kind) => {
    const { containers, ...pod } = podOf(kind);
    const own = [...OURS, ...LISTED_ABOVE];
    const rest = Object.fromEntries(Object.entries(pod).filter(([key]) => !own.includes(key)));
    expect(rest).toEqual(RELEASE_POD[kind]);
    for (const container of containers) {
      const { name, args: _args, resources, ...fields } = container as Container & { resources: unknown };
      const [image, securityContext, env, mounts] =
        RELEASE_CONTAINERS[name] ?? RELEASE_CONTAINERS[`${kind} ${name}`] ?? [];
      const volumeMounts = fields.volumeMounts.map((mount) => Object.values(mount).join(' '));
      const expected = { image, imagePullPolicy: 'IfNotPresent', securityContext, volumeMounts: mounts };
      expect({ ...fields, volumeMounts }).toEqual({ ...expected, ...(env && { env }) });
      expect(resources).toEqual({ requests: { cpu: '10m', memory: '16Mi' } });
    }
  });

  it('of its accounts and rights belongs together', () => {
    const of = (kind: string) => objects().filter((object) => object.kind === kind);
    const account = (name: string) => ({ kind: 'ServiceAccount', name, namespace: 'csi-proxmox' });
    const both = ['proxmox-csi-plugin-controller', 'proxmox-csi-plugin-node'];
    expect(of('ServiceAccount').map(({ metadata }) => metadata)).toEqual(
      both.map((name) => ({ name, namespace: 'csi-proxmox' })),
    );
    const apiGroup = 'rbac.authorization.k8s.io';
    expect(of('ClusterRoleBinding').map(({ roleRef, subjects }) => ({ roleRef, subjects }))).toEqual(
      both.map((name) => ({
        roleRef: { apiGroup, kind: 'ClusterRole', name },
        subjects: [account(name)],
      })),
    );
    expect(of('RoleBinding')).toMatchObject([
      {
        metadata: { namespace: 'csi-proxmox' },
        roleRef: { apiGroup, kind: 'Role', name: both[0] },
        subjects: [account(both[0] ?? '')],
      },
    ]);
    // One of each, and nothing that was not compared.
    expect(objects().map(({ kind }) => kind)).toEqual([
      'CSIDriver',
      'ServiceAccount',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRole',
      'ClusterRoleBinding',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'Deployment',
      'DaemonSet',
    ]);
  });

  it('of the workloads rolls and selects as in the release', () => {
    const spec = (kind: string) => objects().find((object) => object.kind === kind)?.spec;
    const labels = (component: string) => ({
      'app.kubernetes.io/name': 'proxmox-csi-plugin',
      'app.kubernetes.io/instance': 'proxmox-csi-plugin',
      'app.kubernetes.io/component': component,
    });
    expect(spec('Deployment')).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: labels('controller') },
      template: { metadata: { labels: labels('controller') } },
    });
    expect(spec('DaemonSet')).toMatchObject({
      updateStrategy: { type: 'RollingUpdate' },
      selector: { matchLabels: labels('node') },
      template: { metadata: { labels: labels('node') } },
    });
  });
});

it('says of itself what the release says', () => {
  expect(objects().find(({ kind }) => kind === 'CSIDriver')).toEqual({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'csi.proxmox.sinextra.dev' },
    spec: {
      attachRequired: true,
      podInfoOnMount: true,
      storageCapacity: true,
      volumeLifecycleModes: ['Persistent'],
    },
  });
});

it('takes images of another registry, and installs nothing where the driver comes by other means', () => {
  const images = { controller: 'registry.lan/csi:v1' };
  expect(JSON.stringify(objects({ images }))).toContain('registry.lan/csi:v1');
  const none = config({ kubernetes: { manifests: [], csi: { ...CSI, driver: 'none' } } });
  expect(csiDriverObjects(none)).toEqual([]);
});
