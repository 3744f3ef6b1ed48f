import { z } from 'zod';
import { optional, required } from './key.js';
import { filePath, fingerprint, httpsOrigin, pattern, secretRef, storageId } from './values.js';

const address = httpsOrigin(8006, 'https://pve1.lan:8006');

/** Hosts that sign their own certificates have one each. */
const endpoint = z.union([
  address,
  z.strictObject({
    url: required(address, 'Address of the Proxmox API on this host.', { example: 'https://pve1.lan:8006' }),
    fingerprint: required(fingerprint, "SHA-256 fingerprint of this host's own certificate."),
  }),
]);

export const proxmoxSchema = z.strictObject({
  endpoint: required(
    z.union([endpoint, z.array(endpoint).min(1)]),
    'Address of the Proxmox API, or a list of them: the next is asked when one does not answer. Each may have its own fingerprint: `{ url, fingerprint }`.',
    { example: 'https://pve1.lan:8006' },
  ),
  cluster: required(
    pattern(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/, 'a cluster name', 'homelab'),
    'Name of the Proxmox cluster: the region of the topology labels and of CSI volume handles.',
    { example: 'homelab' },
  ),
  token: required(
    secretRef,
    'Where the API token (`user@realm!name=uuid`) is: `env:NAME`, `file:PATH` or `sops:PATH#key.path`.',
    {
      example: 'env:OXHERD_PROXMOX_TOKEN',
    },
  ),
  ca: optional(filePath, "File with the CA of Proxmox's certificate, PEM.", { example: 'pve-root-ca.pem' }),
  fingerprint: optional(
    fingerprint,
    "SHA-256 fingerprint of Proxmox's certificate, instead of a CA: of every endpoint that names none of its own.",
  ),
  insecure: optional(z.boolean(), 'Do not check the certificate at all.', { byDefault: false }),
  imageStorage: optional(storageId, 'Storage that Talos images are downloaded to.', { byDefault: 'local' }),
  pool: optional(
    pattern(/^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+){0,2}$/, 'a pool name', 'talos'),
    'Resource pool that the Talos VMs are members of.',
    { example: 'talos' },
  ),
});
