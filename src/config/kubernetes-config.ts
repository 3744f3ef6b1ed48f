/** The section `kubernetes`, resolved. */
import type { AddressRange, IPv4 } from '../model/address.js';
import type { FileText, Fragment, SecretRef } from './config-values.js';

export interface KubernetesConfig {
  readonly cilium?: {
    readonly version: string;
    readonly cliImage: string;
    readonly values?: Fragment;
    /** A manifest of the user's own instead of the install Job. */
    readonly manifest?: FileText;
    readonly hubble: boolean;
    readonly gatewayApi: boolean;
    readonly l2Announcements: boolean;
  };
  readonly loadBalancer?: LoadBalancerConfig;
  readonly gatewayApi?: { readonly version: string; readonly channel: 'standard' | 'experimental' };
  readonly sealedSecrets?: {
    readonly certificate?: FileText;
    readonly key?: SecretRef;
    readonly generate: boolean;
  };
  readonly csi?: {
    readonly delete: boolean;
    readonly acceptDeleteRisk: boolean;
    readonly storageClasses: readonly {
      readonly name: string;
      readonly storage: string;
      readonly filesystem: 'xfs' | 'ext4';
      readonly ssd: boolean;
      readonly cache?: string;
      readonly reclaim: 'Retain' | 'Delete';
      readonly backup: boolean;
    }[];
    /** Where the driver reaches Proxmox, if not at the first endpoint. */
    readonly endpoint?: string;
    /** Who installs it. */
    readonly driver: 'built-in' | 'none' | CsiManifest;
    /** In place of the pinned images. */
    readonly images: Readonly<Partial<Record<CsiImageName, string>>>;
  };
  readonly gitops?: GitopsConfig;
  readonly manifests: readonly FileText[];
}

export type GitopsEngine = 'flux' | 'argocd';

export interface GitopsConfig {
  readonly engine: GitopsEngine;
  readonly version: string;
  /** Its install manifest. */
  readonly manifest: { readonly url: string } | FileText;
  readonly sha256?: string;
  readonly source: GitopsSource;
}

export interface GitopsSource {
  readonly url: string;
  readonly branch: string;
  readonly path: string;
  readonly key?: SecretRef;
  readonly knownHosts?: FileText;
  readonly username: string;
  readonly password?: SecretRef;
  readonly intervalMs: number;
  readonly prune: boolean;
}

export interface CsiManifest {
  readonly manifest: { readonly url: string } | FileText;
  readonly version: string;
  readonly sha256?: string;
}

export type CsiImageName =
  | 'controller'
  | 'node'
  | 'attacher'
  | 'provisioner'
  | 'resizer'
  | 'registrar'
  | 'livenessProbe';

export interface LoadBalancerConfig {
  readonly pool: readonly AddressRange[];
  readonly mode: 'l2' | 'bgp';
  /** Of the nodes. */
  readonly asn: number;
  readonly peers: readonly BgpPeer[];
}

export interface BgpPeer {
  readonly address: IPv4;
  readonly asn: number;
  readonly port: number;
  readonly multihop: number;
  /** A Secret in kube-system that the user creates. */
  readonly passwordSecret?: string;
}
