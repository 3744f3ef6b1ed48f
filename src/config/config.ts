/** The validated config: defaults merged, every value typed. What `load` gives and everything else takes. */
import type { AddressRange, Cidr, IPv4 } from '../model/address.js';
import type { Mac, Vmid } from '../model/identity.js';
import type { Bytes } from '../model/size.js';
import type { Version } from '../model/version.js';
import type { Boot, Fragment, Layout, Role, SecretRef } from './config-values.js';
import type { KubernetesConfig } from './kubernetes-config.js';
import type { BackupConfig, PolicyConfig } from './policy-config.js';
import type { VolumeConfig } from './volume-config.js';

export interface Config {
  readonly cluster: ClusterConfig;
  readonly talos: TalosConfig;
  readonly proxmox: ProxmoxConfig;
  readonly network: NetworkConfig;
  /** Groups expanded, in file order; the order means nothing. */
  readonly nodes: readonly NodeConfig[];
  readonly volumes: readonly VolumeConfig[];
  readonly hosts: readonly HostConfig[];
  readonly kubernetes: KubernetesConfig;
  readonly policy: PolicyConfig;
  readonly backup?: BackupConfig;
}

export interface ClusterConfig {
  readonly name: string;
  /** Prefix for names that several clusters on one Proxmox would share; '' for none. */
  readonly env: string;
  readonly vip?: IPv4;
  /** `https://host:port` of the Kubernetes API, where it is neither the VIP nor the only control plane. */
  readonly endpoint?: string;
  readonly kubernetes: Version;
  readonly scheduleOnControlPlanes: boolean;
  readonly onBoot: boolean;
  readonly domain: string;
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  readonly certSANs: readonly string[];
  readonly apiServer?: Fragment;
  readonly kubelet?: Fragment;
  readonly machineFeatures?: Fragment;
  readonly extraManifests: readonly ManifestRef[];
}

/** A manifest that Talos fetches itself. */
export interface ManifestRef {
  readonly url: string;
  readonly sha256?: string;
}

export interface TalosConfig {
  readonly version: Version;
  /** Which generation of machine configs to write: the version's own minor unless told otherwise. */
  readonly contract: Version;
  /** The schematic's YAML, whether it stood in oxherd.yaml or in a file of its own. */
  readonly schematic: Fragment;
  readonly factory: string;
  readonly platform: string;
  readonly arch: 'amd64' | 'arm64';
  readonly patches: {
    readonly all: readonly PatchSource[];
    readonly controlplane: readonly PatchSource[];
    readonly worker: readonly PatchSource[];
  };
  readonly registryMirrors: readonly { readonly registry: string; readonly endpoints: readonly string[] }[];
  readonly encryption?: EncryptionConfig;
}

/** A machine-config patch: YAML text, one or more documents. */
export interface PatchSource {
  readonly text: string;
  /** File it came from, or the place in the config; for messages. */
  readonly origin: string;
}

export interface EncryptionConfig {
  readonly state?: EncryptionKey;
  readonly ephemeral?: EncryptionKey;
}

export type EncryptionKey = { readonly lockToState: boolean } & (
  | { readonly kind: 'nodeID' }
  | { readonly kind: 'tpm' }
  | { readonly kind: 'static'; readonly passphrase: SecretRef }
);

export interface ProxmoxConfig {
  /** `https://host:port`, at least one. */
  readonly endpoints: readonly string[];
  /** Fingerprints of single endpoints, by their address; `tls` holds for all others. */
  readonly fingerprints?: Readonly<Record<string, string>>;
  /** The Proxmox cluster's name: the region of the topology labels and of CSI handles. */
  readonly cluster: string;
  readonly token: SecretRef;
  readonly tls:
    | { readonly kind: 'system' }
    | { readonly kind: 'ca'; readonly path: string }
    | { readonly kind: 'fingerprint'; readonly sha256: string }
    | { readonly kind: 'insecure' };
  readonly imageStorage: string;
  /** Resource pool that our Talos VMs are put into. */
  readonly pool?: string;
}

export interface NetworkConfig {
  readonly subnet: Cidr;
  readonly gateway: IPv4;
  readonly dns: readonly string[];
  readonly searchDomains: readonly string[];
  readonly ntp: readonly string[];
  /** How a machine gets its address before it has a config. */
  readonly firstBoot: 'static' | 'dhcp';
  /** What a DHCP server hands out in the subnet. */
  readonly dhcpRange?: AddressRange;
}

export interface NodeConfig {
  readonly name: string;
  /** Its entry below `nodes`, where that has a `count`. */
  readonly group?: string;
  readonly role: Role;
  readonly vmid: Vmid;
  readonly ip: IPv4;
  /** The Proxmox host it should be on; `auto` is resolved by placement. */
  readonly host: string | 'auto';
  /** Hosts placement may choose from when `host` is `auto`; empty: all that `hosts` names. */
  readonly hostChoices: readonly string[];
  readonly layout: Layout;
  readonly boot: Boot;
  /** Absent: Proxmox's HA manager is not told of it. */
  readonly ha?: HaConfig;
  readonly vm: VmOptions;
  readonly nics: readonly NicConfig[];
  readonly dns?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  readonly patches: readonly PatchSource[];
  /** SMBIOS uuid; absent: computed from the cluster and the vmid. */
  readonly uuid?: string;
  /** Where this node differs from `talos`. */
  readonly talosVersion: Version;
  readonly schematic: Fragment;
}

export interface HaConfig {
  readonly state: 'started' | 'ignored';
  /** Empty: any. */
  readonly hosts: readonly string[];
  readonly strict: boolean;
  /** Control planes are kept on different hosts. */
  readonly spread: boolean;
}

export interface VmOptions {
  readonly cores: number;
  readonly sockets: number;
  readonly cpuType: string;
  readonly numa: boolean;
  readonly memory: Bytes;
  /** Minimum for ballooning; 0 is off. */
  readonly balloon: Bytes;
  readonly bios: 'seabios' | 'ovmf';
  readonly machine: string;
  readonly scsiHardware:
    | 'virtio-scsi-single'
    | 'virtio-scsi-pci'
    | 'lsi'
    | 'lsi53c810'
    | 'megasas'
    | 'pvscsi';
  readonly ostype: string;
  readonly agent: boolean;
  readonly onBoot: boolean;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly startup?: { readonly order?: number; readonly up?: number; readonly down?: number };
  /** Storage of the VM's own disks. */
  readonly storage: string;
  /** EPHEMERAL in `data-vm`, the system disk in `single`. */
  readonly disk: Bytes;
  /** System disk in `data-vm`. */
  readonly osDisk: Bytes;
  readonly diskOptions: DiskOptions;
  readonly pci: readonly PciMapping[];
}

export interface DiskOptions {
  readonly discard: boolean;
  readonly ssd: boolean;
  readonly iothread: boolean;
  readonly cache: 'none' | 'writethrough' | 'writeback' | 'unsafe' | 'directsync' | undefined;
  readonly aio: 'native' | 'threads' | 'io_uring' | undefined;
  /** `undefined`: on where the design says so (data disks of workers), off elsewhere. */
  readonly backup: boolean | undefined;
  readonly replicate: boolean;
}

export interface PciMapping {
  readonly mapping: string;
  readonly pcie: boolean;
  readonly rombar: boolean;
  readonly xvga: boolean;
}

export interface NicConfig {
  readonly bridge: string;
  /** `undefined`: computed from the cluster and the vmid. */
  readonly mac: Mac | undefined;
  readonly vlan?: number;
  readonly mtu?: number;
  readonly queues?: number;
  readonly firewall: boolean;
  /** Further NICs have an address of their own, by DHCP, or none. The first takes the node's. */
  readonly address?: { readonly ip: IPv4; readonly prefix: number } | 'dhcp';
}

export interface HostConfig {
  readonly name: string;
  readonly cpus?: number;
  readonly memory?: Bytes;
  readonly storages: Readonly<Record<string, Bytes>>;
  readonly reservations: readonly Reservation[];
}

/** Something else that lives on the host: counted, verified, never touched. */
export interface Reservation {
  readonly name: string;
  readonly vmid?: Vmid;
  readonly cpus: number;
  readonly memory: Bytes;
  readonly disk?: string;
  readonly address?: string;
  readonly passthrough?: string;
  readonly title?: string;
}
