import { z } from 'zod';
import { gitopsSchema } from './gitops.js';
import { optional, required } from './key.js';
import { loadBalancerSchema } from './load-balancer.js';
import { filePath, fragment, httpsOrigin, pattern, secretRef, sha256, storageId } from './values.js';

/** Versions of other projects: with or without a `v`, as their tags are. */
const tagVersion = pattern(/^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'a version', 'v1.2.3');

export const ciliumSchema = z.strictObject({
  version: optional(tagVersion, 'Cilium version.', { byDefault: 'v1.20.2' }),
  cliImage: optional(z.string().min(1), 'Image of the Job that installs it.', {
    byDefault: 'quay.io/cilium/cilium-cli:v0.18.9',
  }),
  values: optional(
    z.union([filePath, fragment]),
    'Helm values over the defaults for Talos: a file or the YAML itself.',
  ),
  manifest: optional(filePath, 'A manifest of your own instead of the install Job.'),
  hubble: optional(z.boolean(), 'Hubble relay and UI.', { byDefault: true }),
  gatewayApi: optional(z.boolean(), "Cilium's Gateway API controller.", { byDefault: true }),
  l2Announcements: optional(z.boolean(), 'Announce LoadBalancer addresses by ARP.', { byDefault: true }),
});

export const gatewayApiSchema = z.strictObject({
  version: optional(tagVersion, 'Gateway API version.', { byDefault: 'v1.6.3' }),
  channel: optional(z.enum(['standard', 'experimental']), 'Release channel.', { byDefault: 'standard' }),
});

const sealedSecrets = z.strictObject({
  certificate: optional(filePath, 'File with the certificate, PEM.', { example: 'sealed-secrets.cert' }),
  key: optional(secretRef, 'Where the private key is.', { example: 'file:sealed-secrets.key' }),
  generate: optional(z.boolean(), 'Make a key pair. By default where no certificate is given.'),
});

export const storageClassSchema = z.strictObject({
  storage: required(storageId, 'Proxmox storage.'),
  filesystem: optional(z.enum(['xfs', 'ext4']), 'File system.', { byDefault: 'ext4' }),
  ssd: optional(z.boolean(), 'Present volumes as SSDs.', { byDefault: true }),
  cache: optional(z.enum(['none', 'writethrough', 'writeback', 'unsafe', 'directsync']), 'Cache mode.'),
  backup: optional(
    z.boolean(),
    'Whether Proxmox backups of the VM that a volume is attached to include it: the driver leaves it out otherwise.',
    { byDefault: false },
  ),
  reclaim: optional(z.enum(['Retain', 'Delete']), 'What happens to a volume whose claim was deleted.', {
    byDefault: 'Retain',
  }),
});

const image = z.string().regex(/^\S+[:@]\S+$/, 'an image with its tag or digest');

export const csiSchema = z.strictObject({
  delete: optional(
    z.boolean(),
    'Let the driver delete volumes. It then may delete any volume on those storages.',
    { byDefault: false },
  ),
  acceptDeleteRisk: optional(z.boolean(), 'Grant it even on storages with data disks of this cluster.', {
    byDefault: false,
  }),
  storageClasses: optional(z.record(z.string(), storageClassSchema), 'StorageClasses by name.', {
    example: { 'proxmox-csi': { storage: 'local-zfs' } },
  }),
  endpoint: optional(
    httpsOrigin(8006, 'https://pve.lan:8006'),
    'Where the driver reaches Proxmox: it takes one address, so a name that moves with the cluster is best. By default the first of `proxmox.endpoint`.',
  ),
  driver: optional(
    z.union([
      z.enum(['built-in', 'none']),
      z.strictObject({
        manifest: required(z.string().min(1), 'URL or file of the driver.'),
        version: required(tagVersion, 'Its version.'),
        sha256: optional(sha256, 'What the manifest must hash to.'),
      }),
    ]),
    'Who installs the driver: oxherd (`built-in`), a manifest of yours, or other means (`none`, such as Helm or GitOps).',
    { byDefault: 'built-in' },
  ),
  images: optional(
    z.strictObject({
      controller: optional(image, 'Controller of the driver.'),
      node: optional(image, 'Node plugin of the driver.'),
      attacher: optional(image, 'Sidecar csi-attacher.'),
      provisioner: optional(image, 'Sidecar csi-provisioner.'),
      resizer: optional(image, 'Sidecar csi-resizer.'),
      registrar: optional(image, 'Sidecar csi-node-driver-registrar.'),
      livenessProbe: optional(image, 'Sidecar livenessprobe.'),
    }),
    'Images of the built-in driver in place of the pinned ones, for a registry of your own.',
    { example: { controller: 'registry.lan/proxmox-csi-controller:v0.19.1' } },
  ),
});

/** `cilium: true` means all its defaults. */
const switchable = <S extends z.ZodType>(schema: S) => z.union([z.boolean(), schema]);

export const kubernetesSchema = z.strictObject({
  cilium: optional(
    switchable(ciliumSchema),
    'Cilium as the network; `true` for its defaults. Without it Talos brings Flannel.',
  ),
  loadBalancer: optional(
    loadBalancerSchema,
    'Addresses for Services of type LoadBalancer, announced by Cilium.',
    { example: { pool: '10.20.30.200-10.20.30.220' } },
  ),
  gatewayApi: optional(switchable(gatewayApiSchema), 'Gateway API CRDs; `true` for the defaults.'),
  sealedSecrets: optional(switchable(sealedSecrets), 'Key pair of sealed-secrets; `true` creates one.'),
  csi: optional(
    switchable(csiSchema),
    'The Proxmox CSI driver, its user, token, secret and StorageClasses. On where there are `proxmox-csi` volumes.',
  ),
  gitops: optional(
    gitopsSchema,
    'Flux or Argo CD, installed with its first repository: from there on it brings what runs in the cluster.',
  ),
  manifests: optional(z.array(filePath), 'Manifests of your own, kept up to date.', {
    byDefault: [],
    example: ['manifests/namespaces.yaml'],
  }),
});
