/**
 * What our objects have to agree on with the driver's release: facts about proxmox-csi-plugin v0.19.1 (chart 0.5.9), read
 * from its release. A new pin has to be compared with them again.
 */
import { describe, expect, it } from 'vitest';
import { config } from '../fixtures/config.js';
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

it('says of itself what the release says', () => {
  expect(objects().find(({ kind }) => kind === 'CSIDriver')).toMatchObject({
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
