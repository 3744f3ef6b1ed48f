import { z } from 'zod';
import { optional, required } from './key.js';
import { filePath, fragment, httpUrl, minorVersion, pattern, secretRef, version } from './values.js';

/** A file beside the config, or the YAML itself. */
export const schematicSchema = z.union([filePath, fragment]);

/** A path, a mapping (one document), or YAML text of several lines (any number of documents). */
export const patchSchema = z.union([z.string().min(1, { error: 'the patch is empty' }), fragment]);

const patches = z.array(patchSchema);

const encryptionKey = z.union([
  z.enum(['nodeID', 'tpm']),
  z.strictObject({
    key: required(
      z.enum(['nodeID', 'tpm', 'static']),
      'Where the key comes from: the SMBIOS uuid, the TPM, or a passphrase.',
    ),
    passphrase: optional(secretRef, 'Where the passphrase of a `static` key is.', {
      example: 'sops:secrets.yaml#disk.passphrase',
    }),
    lockToState: optional(
      z.boolean(),
      'Bind the key to the STATE partition as well. Refused with the layout `data-vm`: STATE is replaced with every system disk.',
      { byDefault: false },
    ),
  }),
]);

export const talosSchema = z.strictObject({
  version: required(version, 'Talos version.', { example: 'v1.14.1' }),
  contract: optional(
    minorVersion,
    'Generation of machine configs to write. By default that of `version`, v1.13 at most, so that an upgrade changes no config. `v1.14` adds what Talos 1.14 gives to new clusters: weekly trim, workload isolation, a hardened mount of EPHEMERAL.',
    { example: 'v1.14' },
  ),
  schematic: optional(
    schematicSchema,
    'Image Factory schematic: a file beside this one, or the YAML itself. By default the guest agent alone.',
    { example: 'schematic.yaml' },
  ),
  factory: optional(httpUrl, 'Image Factory that serves images and installers.', {
    byDefault: 'https://factory.talos.dev',
  }),
  platform: optional(
    pattern(/^[a-z][a-z0-9-]*$/, 'a Talos platform', 'nocloud'),
    'Talos platform of the image.',
    {
      byDefault: 'nocloud',
    },
  ),
  arch: optional(z.enum(['amd64', 'arm64']), 'Architecture of the image.', { byDefault: 'amd64' }),
  patches: optional(
    z.strictObject({
      all: optional(patches, 'Patches for every machine.', { byDefault: [] }),
      controlplane: optional(patches, 'Patches for control planes.', { byDefault: [] }),
      worker: optional(patches, 'Patches for workers.', { byDefault: [] }),
    }),
    'Strategic machine-config patches: a path, a mapping, or YAML text of several lines. A node has its own after these.',
  ),
  registryMirrors: optional(z.record(z.string(), z.array(httpUrl).min(1)), 'Mirrors by registry.', {
    example: { 'docker.io': ['https://mirror.example.com'] },
  }),
  encryption: optional(
    z.strictObject({
      state: optional(encryptionKey, 'Key of the STATE partition.'),
      ephemeral: optional(encryptionKey, 'Key of EPHEMERAL.'),
    }),
    'Disk encryption.',
    { example: { ephemeral: 'nodeID' } },
  ),
});
