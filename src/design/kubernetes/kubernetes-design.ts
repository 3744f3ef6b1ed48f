/** Everything that should be in the cluster. Pure, and the same bytes for the same input. */
import type { Config, NodeConfig } from '../../config/config.js';
import type { FileText } from '../../config/config-values.js';
import { isRestrictedLabel, type NodeMarks } from '../../formats/marks/node-marks.js';
import { formatVersion } from '../../model/version.js';
import type { Design } from '../design.js';
import { extraManifests } from '../machine-config/main-document.js';
import { type CiliumDesign, ciliumDesign, ciliumValuesObject } from './cilium.js';
import { ciliumValues, valuesText } from './cilium-values.js';
import { type CsiAccessDesign, csiAccess, csiObjects } from './csi.js';
import { type GitopsDesign, type GitopsSecrets, gitopsDesign, gitopsObjects } from './gitops.js';
import { loadBalancerObjects } from './load-balancer.js';
import { type KubeObject, type ManagedObject, managed, refKey, refOf } from './managed-object.js';
import { persistentVolume, type StoragePlace } from './persistent-volumes.js';
import { sealedKeySecret, sealedKeySource, sealedNamespace } from './sealed-secrets.js';
import { objectsInFile } from './user-manifests.js';

/** What a design of objects has to know besides the file. */
export interface KubernetesFacts {
  /** Key `host/storage`: as Proxmox has it. Without it a storage of the host's own that keeps blocks is assumed. */
  readonly storages: Readonly<Record<string, StoragePlace>>;
  /** Bytes that a CSI volume has, by name, where they are not those of oxherd.yaml. */
  readonly sizes: Readonly<Record<string, number>>;
  /** CSI volumes whose disks could not be read, by name, with the reason: what their PersistentVolumes should be is open. */
  readonly unreadVolumes?: Readonly<Record<string, string>>;
  /** Private key of sealed-secrets, PEM, where oxherd.yaml says where it is. */
  readonly sealedKey?: string;
  /** Key or password of the first repository. */
  readonly gitops?: GitopsSecrets;
}

export interface KubernetesDesign {
  /** `v1.36.0`, of nodes and API servers. */
  readonly version: string;
  /** In an order in which they can be applied. */
  readonly objects: readonly ManagedObject[];
  readonly cilium?: CiliumDesign;
  readonly csi?: CsiAccessDesign;
  readonly gitops?: GitopsDesign;
  /** Make a key pair for sealed-secrets where the cluster has none. */
  readonly generateSealedKey: boolean;
  readonly gatewayApi?: { readonly version: string; readonly channel: string };
  /** Manifests that Talos fetches, as the machine configs name them: with their hashes. */
  readonly manifestUrls: readonly string[];
  /** Of workers: what their kubelets may not set themselves. */
  readonly nodeMarks: readonly (NodeMarks & { readonly node: string })[];
}

const BLOCKS_OF_ITS_OWN: StoragePlace = { shared: false, type: 'zfspool' };

export function kubernetesDesign(config: Config, design: Design, facts: KubernetesFacts): KubernetesDesign {
  const { kubernetes } = config;
  const cilium = ciliumDesign(config);
  const csi = csiAccess(config, design);
  const gitops = gitopsDesign(config);
  return {
    version: formatVersion(config.cluster.kubernetes),
    objects: kubernetesObjects(config, design, facts),
    ...(cilium && { cilium }),
    ...(csi && { csi }),
    ...(gitops && { gitops }),
    generateSealedKey: sealedKeySource(config) === 'generate',
    ...(kubernetes.gatewayApi && { gatewayApi: kubernetes.gatewayApi }),
    manifestUrls: extraManifests(config),
    nodeMarks: config.nodes.filter(({ role }) => role === 'worker').map(nodeMarks),
  };
}

function nodeMarks({ name, labels, taints }: NodeConfig): NodeMarks & { node: string } {
  const restricted = Object.entries(labels).filter(([key]) => isRestrictedLabel(key));
  return { node: name, labels: Object.fromEntries(restricted), taints };
}

/** Namespaces first, then what stands in them; the user's own manifests last. */
function kubernetesObjects(config: Config, design: Design, facts: KubernetesFacts): ManagedObject[] {
  const { cilium, csi, manifests } = config.kubernetes;
  const sealed = sealedKeySource(config);
  const volumes = design.csiVolumes.map((volume) => {
    const place = placeOf(facts, volume.host, volume.storage);
    const object = persistentVolume(config, volume, place, facts.sizes[volume.name] ?? volume.size);
    const undecided = facts.unreadVolumes?.[volume.name];
    return { ...managed(object, 'volumes'), ...(undecided !== undefined && { undecided }) };
  });
  const certificate = config.kubernetes.sealedSecrets?.certificate?.text;
  const ownPair =
    sealed === 'files' && certificate !== undefined && facts.sealedKey !== undefined
      ? [sealedKeySecret({ certificate, key: facts.sealedKey })]
      : [];
  const own = typeof csi?.driver === 'object' ? csi.driver.manifest : undefined;
  const driver = own && 'text' in own ? own : undefined;
  return [
    ...(cilium?.manifest ? ownCilium(config) : []),
    ...loadBalancerObjects(config).map((object) => managed(object, 'kubernetes.loadBalancer')),
    ...gitopsObjects(config, facts.gitops ?? {}).map((object) => managed(object, 'kubernetes.gitops')),
    ...csiObjects(config).map((object) => managed(object, 'kubernetes.csi')),
    ...volumes,
    ...(sealed ? [sealedNamespace(), ...ownPair] : []).map((object) =>
      managed(object, 'kubernetes.sealedSecrets'),
    ),
    ...(driver ? driverInFile(driver, csiObjects(config)) : []),
    ...manifests.flatMap((file) => objectsInFile(file).map((object) => managed(object, file.path))),
  ];
}

/** A shared storage can be limited to some hosts of the cluster: pods must not be sent where their volume is not. */
function placeOf({ storages }: KubernetesFacts, host: string, storage: string): StoragePlace {
  const place = storages[`${host}/${storage}`];
  if (!place?.shared) return place ?? BLOCKS_OF_ITS_OWN;
  const hosts = [...new Set(Object.keys(storages).map((key) => key.slice(0, key.indexOf('/'))))].sort();
  const seeing = hosts.filter((candidate) => storages[`${candidate}/${storage}`] !== undefined);
  return { ...place, ...(seeing.length < hosts.length && { onlyOn: seeing }) };
}

/** Upstream's manifest brings the namespace and classes that we keep too: one object has one owner. */
function driverInFile(file: FileText, ours: readonly KubeObject[]): ManagedObject[] {
  const kept = new Set(ours.map((object) => refKey(refOf(object))));
  return objectsInFile(file)
    .filter((object) => !kept.has(refKey(refOf(object))))
    .map((object) => managed(object, file.path));
}

/** The user's manifest instead of our Job finds its values where the Terraform module put them. */
function ownCilium(config: Config): ManagedObject[] {
  const { cilium } = config.kubernetes;
  if (!cilium?.manifest) return [];
  const text = valuesText(ciliumValues(config, cilium));
  const values = ciliumValuesObject({ hash: '', valuesText: text }, false);
  const { path } = cilium.manifest;
  return [
    managed(values, 'kubernetes.cilium'),
    ...objectsInFile(cilium.manifest).map((object) => managed(object, path)),
  ];
}
