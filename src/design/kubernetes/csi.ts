/** What the Proxmox CSI driver finds in the cluster: its namespace, its access to Proxmox, its StorageClasses. */
import { stringify } from 'yaml';
import type { Config } from '../../config/config.js';
import { compareText } from '../../model/natural-order.js';
import { csiVolumesOf, hasCsi } from '../access.js';
import type { AccessDesign, Design } from '../design.js';
import { CSI_NAMESPACE, CSI_SECRET, csiDriverObjects } from './csi-driver.js';
import { type KubeObject, managed, objectHash, withHash } from './managed-object.js';
import { CSI_DRIVER } from './persistent-volumes.js';

type StorageClassConfig = NonNullable<Config['kubernetes']['csi']>['storageClasses'][number];

export interface CsiAccessDesign {
  readonly user: string;
  readonly tokenId: string;
  /** Rights of the token itself. */
  readonly grants: readonly { readonly path: string; readonly role: string; readonly propagate: boolean }[];
  readonly url: string;
  readonly insecure: boolean;
  readonly region: string;
  /** Who installs the driver. */
  readonly driver: 'built-in' | 'manifest' | 'none';
  /** Over everything but the token's secret. */
  readonly hash: string;
}

export function csiObjects(config: Config): KubeObject[] {
  if (!hasCsi(config)) return [];
  return [csiNamespace(), ...storageClassesOf(config).map(storageClass), ...csiDriverObjects(config)];
}

/** The driver's pods mount devices of the host. */
function csiNamespace(): KubeObject {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'privileged',
    'pod-security.kubernetes.io/audit': 'baseline',
    'pod-security.kubernetes.io/warn': 'baseline',
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CSI_NAMESPACE, labels } };
}

/** Those of oxherd.yaml, and one for each class that a volume names and the file does not describe. */
function storageClassesOf(config: Config): StorageClassConfig[] {
  const declared = config.kubernetes.csi?.storageClasses ?? [];
  const classes = new Map(declared.map((item) => [item.name, item]));
  for (const volume of csiVolumesOf(config)) {
    if (classes.has(volume.storageClass)) continue;
    classes.set(volume.storageClass, {
      name: volume.storageClass,
      storage: volume.storage,
      filesystem: volume.filesystem,
      ssd: true,
      cache: 'writethrough',
      reclaim: 'Retain',
      backup: false,
    });
  }
  return [...classes.values()].sort((a, b) => compareText(a.name, b.name));
}

function storageClass({
  name,
  storage,
  filesystem,
  ssd,
  cache,
  reclaim,
  backup,
}: StorageClassConfig): KubeObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: CSI_DRIVER,
    parameters: {
      'csi.storage.k8s.io/fstype': filesystem,
      storage,
      ssd: String(ssd),
      ...(cache !== undefined && { cache }),
      ...(backup && { backup: 'true' }),
    },
    reclaimPolicy: reclaim,
    allowVolumeExpansion: true,
    volumeBindingMode: 'WaitForFirstConsumer',
    mountOptions: ['noatime'],
  };
}

export function csiAccess(config: Config, design: Design): CsiAccessDesign | undefined {
  const token = design.access.find((access) => access.kind === 'token');
  if (!token || !hasCsi(config)) return undefined;
  const id = `${token.user}!${token.id}`;
  const isGrant = (access: AccessDesign) => access.kind === 'acl' && access.subject.id === id;
  const { driver = 'built-in' } = config.kubernetes.csi ?? {};
  const endpoint = config.kubernetes.csi?.endpoint ?? config.proxmox.endpoints[0] ?? '';
  const access = {
    driver: typeof driver === 'string' ? driver : ('manifest' as const),
    user: token.user,
    tokenId: token.id,
    url: `${endpoint}/api2/json`,
    // The driver knows the system's authorities and no other way to trust a host.
    insecure: config.proxmox.tls.kind !== 'system' || config.proxmox.fingerprints?.[endpoint] !== undefined,
    region: config.proxmox.cluster,
  };
  return {
    ...access,
    grants: design.access
      .filter(isGrant)
      .flatMap((acl) =>
        acl.kind === 'acl' ? [{ path: acl.path, role: acl.role, propagate: acl.propagate }] : [],
      ),
    hash: objectHash(secretObject({ ...access, grants: [], hash: '' }, '')),
  };
}

/** In place of the hash while a token is replaced: until it is gone, the token in the Secret may be a dead one. */
export const REPLACING_TOKEN = 'replacing-token';

/** With the hash of everything but the token's secret, which only the Secret contains. */
export function csiSecret(
  access: CsiAccessDesign,
  tokenSecret: string,
  state: 'replacing' | 'complete',
): KubeObject {
  const { object } = managed(secretObject(access, tokenSecret), 'kubernetes.csi');
  return withHash(object, state === 'replacing' ? REPLACING_TOKEN : access.hash);
}

function secretObject(access: CsiAccessDesign, tokenSecret: string): KubeObject {
  const { url, insecure, region, user, tokenId } = access;
  const clusters = [{ url, insecure, token_id: `${user}!${tokenId}`, token_secret: tokenSecret, region }];
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: CSI_SECRET, namespace: CSI_NAMESPACE },
    type: 'Opaque',
    data: { 'config.yaml': base64(stringify({ clusters }, { compat: 'yaml-1.1', lineWidth: 0 })) },
  };
}

/** `btoa` takes bytes only. */
export function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function fromBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
}

/** Token and secret in the data of a Kubernetes secret; empty where it is not one of ours. */
export function csiTokenIn(data: Readonly<Record<string, string>>): { tokenId: string; secret: string } {
  const text = fromBase64(data['config.yaml'] ?? '');
  const value = (key: string) => new RegExp(`^[\\s-]*${key}:\\s*["']?([^"'\\s]+)`, 'm').exec(text)?.[1] ?? '';
  return { tokenId: value('token_id'), secret: value('token_secret') };
}
