/** Every object that oxherd puts into a cluster, of a config with everything on. */
import type { KubernetesObject } from '../../src/clients/kubernetes/index.js';
import type { Config } from '../../src/config/config.js';
import { design } from '../../src/design/design-cluster.js';
import {
  ciliumAccount,
  ciliumBinding,
  ciliumJob,
  ciliumValuesObject,
} from '../../src/design/kubernetes/cilium.js';
import { csiSecret } from '../../src/design/kubernetes/csi.js';
import { kubernetesDesign } from '../../src/design/kubernetes/kubernetes-design.js';
import { sealedKeySecret } from '../../src/design/kubernetes/sealed-secrets.js';
import { config, csiVolume, gib } from './design/config.js';

const VOLUME = csiVolume('pv-photos', { size: gib(2) });

const EXTRA = `apiVersion: v1
kind: Namespace
metadata: { name: extra }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: extra }
data: { mode: "on" }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: quiet, namespace: extra }
spec: { podSelector: {}, policyTypes: [Ingress] }
`;

const EVERYTHING: Config['kubernetes'] = {
  manifests: [{ path: 'extra.yaml', text: EXTRA }],
  cilium: {
    version: 'v1.20.2',
    cliImage: 'quay.io/cilium/cilium-cli:v0.18.9',
    hubble: true,
    gatewayApi: true,
    l2Announcements: true,
  },
  gatewayApi: { version: 'v1.6.3', channel: 'standard' },
  sealedSecrets: { generate: true },
  csi: { delete: false, acceptDeleteRisk: false, storageClasses: [], driver: 'built-in', images: {} },
};

export function designedObjects(): KubernetesObject[] {
  const whole = config({ kubernetes: EVERYTHING, volumes: [VOLUME] });
  const { objects, cilium, csi } = kubernetesDesign(whole, design(whole), { storages: {}, sizes: {} });
  if (!cilium || !csi) throw new Error('the config asks for Cilium and CSI');
  return [
    ...objects.map(({ object }) => object),
    ciliumAccount(),
    ciliumBinding(),
    ciliumValuesObject(cilium, true),
    ciliumJob(cilium, 'install'),
    csiSecret(csi, '00000000-0000-4000-8000-000000000000', 'complete'),
    sealedKeySecret({ certificate: 'CERTIFICATE', key: 'KEY' }),
  ];
}

/** Without what every server makes up itself: identities, times, and who wrote what when. */
export function comparable(object: unknown): unknown {
  if (Array.isArray(object)) return object.map(comparable);
  if (typeof object !== 'object' || object === null) return object;
  return Object.fromEntries(
    Object.entries(object)
      .filter(([key]) => !VOLATILE.has(key) && !/Time$|Timestamp$/.test(key))
      .map(([key, value]) => [key, comparable(value)]),
  );
}

const VOLATILE = new Set([
  'uid',
  'resourceVersion',
  'time',
  'batch.kubernetes.io/controller-uid',
  'controller-uid',
]);
