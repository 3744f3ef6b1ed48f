import { z } from 'zod';
import { optional, required } from './key.js';
import { filePath, fragment, pattern, secretRef, sha256, storageId } from './values.js';

/** Versions of other projects: with or without a `v`, as their tags are. */
const tagVersion = pattern(/^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'a version', 'v1.2.3');

const cilium = z.strictObject({
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

const gatewayApi = z.strictObject({
  version: optional(tagVersion, 'Gateway API version.', { byDefault: 'v1.6.3' }),
  channel: optional(z.enum(['standard', 'experimental']), 'Release channel.', { byDefault: 'standard' }),
});

const sealedSecrets = z.strictObject({
  certificate: optional(filePath, 'File with the certificate, PEM.', { example: 'sealed-secrets.cert' }),
  key: optional(secretRef, 'Where the private key is.', { example: 'file:sealed-secrets.key' }),
  generate: optional(z.boolean(), 'Make a key pair. By default where no certificate is given.'),
});

const storageClass = z.strictObject({
  storage: required(storageId, 'Proxmox storage.'),
  filesystem: optional(z.enum(['xfs', 'ext4']), 'File system.', { byDefault: 'ext4' }),
  ssd: optional(z.boolean(), 'Present volumes as SSDs.', { byDefault: true }),
  cache: optional(z.enum(['none', 'writethrough', 'writeback', 'unsafe', 'directsync']), 'Cache mode.'),
  reclaim: optional(z.enum(['Retain', 'Delete']), 'What becomes of a volume whose claim is gone.', {
    byDefault: 'Retain',
  }),
});

const csi = z.strictObject({
  delete: optional(
    z.boolean(),
    'Let the driver delete volumes. It then may delete any volume on those storages.',
    { byDefault: false },
  ),
  acceptDeleteRisk: optional(z.boolean(), 'Grant that even where our own data disks are.', {
    byDefault: false,
  }),
  storageClasses: optional(z.record(z.string(), storageClass), 'StorageClasses by name.', {
    example: { 'proxmox-csi': { storage: 'local-zfs' } },
  }),
  driver: optional(
    z.strictObject({
      manifest: required(z.string().min(1), 'URL or file of the driver.'),
      version: required(tagVersion, 'Its version.'),
      sha256: optional(sha256, 'What the manifest must hash to.'),
    }),
    'The driver itself, where oxherd shall install it.',
  ),
});

/** `cilium: true` means all its defaults. */
const switchable = <S extends z.ZodType>(schema: S) => z.union([z.boolean(), schema]);

export const kubernetesSchema = z.strictObject({
  cilium: optional(
    switchable(cilium),
    'Cilium as the network; `true` for its defaults. Without it Talos brings Flannel.',
  ),
  gatewayApi: optional(switchable(gatewayApi), 'Gateway API CRDs; `true` for the defaults.'),
  sealedSecrets: optional(switchable(sealedSecrets), 'Key pair of sealed-secrets; `true` makes one.'),
  csi: optional(
    switchable(csi),
    'Access of the Proxmox CSI driver: user, token, secret, StorageClasses. On where there are `proxmox-csi` volumes.',
  ),
  manifests: optional(z.array(filePath), 'Manifests of your own, kept up to date.', {
    byDefault: [],
    example: ['manifests/namespaces.yaml'],
  }),
});
export type KubernetesEntry = z.output<typeof kubernetesSchema>;
