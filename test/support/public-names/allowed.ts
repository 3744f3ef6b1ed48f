/**
 * Public names that tracked files may have. Each belongs to someone else's product that oxherd works with, or is nothing that
 * anyone fetches. A domain covers what is below it; a name with an owner or a registry covers itself only.
 */
import type { PublicName } from './find.js';

interface Allowed {
  readonly names: readonly PublicName[];
  readonly reason: string;
  /** The only files that may have them. */
  readonly in?: readonly string[];
}

export const ALLOWED: readonly Allowed[] = [
  {
    names: ['lan', 'lab', 'svc', 'b'],
    reason: 'not in the root zone; examples, tests and the domain of Services use them',
  },
  {
    names: [
      'k8s.io',
      'x-k8s.io',
      'kubernetes.io',
      'etcd.io',
      'github.com/kubernetes',
      'github.com/kubernetes-sigs',
      'raw.githubusercontent.com/kubernetes-sigs',
    ],
    reason: 'API groups, images, sources and manifests of Kubernetes',
  },
  {
    names: [
      'talos.dev',
      'siderolabs.com',
      'cosi.dev',
      'ghcr.io/siderolabs',
      'github.com/siderolabs',
      'github.com/cosi-project',
    ],
    reason: 'Talos Linux: resources, Image Factory, images, sources, docs',
  },
  { names: ['cilium.io', 'quay.io/cilium'], reason: 'Cilium: API groups, images, docs' },
  {
    names: ['fluxcd.io', 'ghcr.io/fluxcd', 'github.com/fluxcd'],
    reason: 'Flux: API groups, images, manifests',
  },
  {
    names: ['argoproj.io', 'quay.io/argoproj', 'raw.githubusercontent.com/argoproj'],
    reason: 'Argo CD: API groups, images, manifests',
  },
  { names: ['sinextra.dev', 'ghcr.io/sergelogvinov'], reason: 'the Proxmox CSI driver' },
  {
    names: ['longhorn.io', 'rook.io', 'bitnami.com'],
    reason: 'API groups of Longhorn, Rook and Sealed Secrets',
  },
  {
    names: ['raw.githubusercontent.com/prometheus-community'],
    reason: 'documented values of the Terraform module',
    in: ['test/fixtures/config/from-tfvars/documented/terraform.tfvars'],
  },
  { names: ['time.cloudflare.com'], reason: 'the default time server of Talos' },
  { names: ['letsencrypt.org'], reason: 'ACME directories that Proxmox VE knows' },
  {
    names: ['helm.sh', 'prometheus.io', 'json-schema.org', 'w3.org'],
    reason: 'names of formats: labels, metrics, schemas, SVG',
  },
  {
    names: ['apache.org', 'iana.org', 'openssh.com'],
    reason: 'the licence, the time zone database, key types of SSH',
  },
  { names: ['amazonaws.com'], reason: 'Amazon S3, and the example of its documentation' },
  {
    names: ['docker.io', 'ghcr.io', 'github.com', 'raw.githubusercontent.com'],
    reason: 'the host only, as a registry to mirror or to reach; accounts on it have entries of their own',
  },
  { names: ['gcr.io/distroless'], reason: 'base image of the Dockerfile', in: ['Dockerfile'] },
  {
    names: ['docker.io/traefik'],
    reason: 'an application to deploy',
    in: ['examples/gitops/apps/whoami/deployment.yaml'],
  },
  {
    names: [
      'github.com/dustin',
      'github.com/evanphx',
      'github.com/ryanuber',
      'github.com/getsops',
      'github.com/jsimonetti',
    ],
    reason: 'Go libraries whose behaviour is imitated, or with which tests compare',
  },
  {
    names: [
      'github.com/sponsors',
      'github.com/vitejs',
      'opencollective.com',
      'paulmillr.com',
      'tidelift.com',
    ],
    reason: 'funding links and homepages of locked packages',
    in: ['package-lock.json'],
  },
  { names: ['npm:node'], reason: 'releases of Node, in a comment', in: ['scripts/terminal-session.sh'] },
  {
    names: ['npm:oxherd'],
    reason: 'a value that a pipeline refuses to run',
    in: ['src/export/ci/pipelines.test.ts'],
  },
  { names: ['npm:@example/oxherd'], reason: 'a publisher in a test', in: ['test/publisher.test.ts'] },
  {
    names: ['npm:@host/x', 'npm:@patches/all.yaml'],
    reason: 'the end of a URL, and a path: no packages',
    in: [
      'src/formats/redact/redact-talos.property.test.ts',
      'src/formats/redact/redact-text.test.ts',
      'test/scaled/readers-fuzz.test.ts',
    ],
  },
  { names: ['acme.io'], reason: 'a message of Kubernetes, word for word' },
  {
    names: ['a.io', 'b.io', 'ex.io'],
    reason: 'API groups in tests, which nothing fetches',
    in: ['src/clients/kubernetes/discovery.test.ts', 'src/lab/kubernetes/protobuf/protobuf.test.ts'],
  },
  {
    names: ['iqn.2003-01.org', '3dexample.org', 'e.org', 'x.org', 'n.sh', 'x.sh'],
    reason: 'values in recorded answers of Proxmox VE and Kubernetes',
    in: [
      'test/recordings/fixtures/kubernetes/scenarios/selectors-paging.json',
      'test/recordings/fixtures/proxmox/scenarios-varied/access-realms.json',
      'test/recordings/fixtures/proxmox/scenarios-varied/cluster-options.json',
      'test/recordings/fixtures/proxmox/scenarios-varied/qemu-hotplug.json',
      'test/recordings/fixtures/proxmox/scenarios-varied/storage-types.json',
      'test/recordings/fixtures/proxmox/scenarios/provisioner-rights.json',
    ],
  },
  {
    names: ['ghcr.io/x'],
    reason: 'a recorded answer of Talos',
    in: ['test/recordings/talos/fixtures/validate.json'],
  },
];
