/** The v1alpha1 document: machine and cluster. In the shape of Talos 1.12, which 1.13 and 1.14 take as well. */

import type { Config, NodeConfig } from '../../config/config.js';
import type { Role } from '../../config/config-values.js';
import { isRestrictedLabel } from '../../formats/marks/node-marks.js';
import { installerImage } from '../../formats/talos/factory-urls.js';
import type { Mapping } from '../../formats/text/mapping.js';
import { formatCidr } from '../../model/address.js';
import { wwidOf } from '../../model/identity.js';
import { formatVersion } from '../../model/version.js';
import type { KeyPair, TalosSecrets } from '../../secrets/talos-secrets.js';
import { hasCsi } from '../access.js';
import type { NodeDesign } from '../design.js';
import {
  type ComponentVersions,
  type MachineConfigOptions,
  type NodeContext,
  systemDrive,
} from './context.js';
import { apiServerNames, clusterEndpoint, machineNames } from './endpoint.js';
import { PLACEHOLDER_SECRETS } from './placeholders.js';

const KUBEPRISM_PORT = 7445;

export function mainDocument(context: NodeContext, shared: SharedParts): Mapping {
  const { config, node, nodeDesign } = context;
  return {
    version: 'v1alpha1',
    debug: false,
    persist: true,
    machine: {
      ...shared.machine,
      install: {
        image: installerImage({
          factory: config.talos.factory,
          platform: config.talos.platform,
          schematicId: nodeDesign.schematicId,
          version: nodeDesign.talosVersion,
        }),
        // Never by device name: their order depends on the controller.
        diskSelector: { wwid: wwidOf(systemDrive(nodeDesign).wwn) },
        wipe: false,
        grubUseUKICmdline: true,
      },
      nodeLabels: nodeLabels(context),
      // A worker's kubelet may not set taints, nor some labels: oxherd sets them through the Kubernetes API.
      ...(node.role === 'controlplane' && node.taints.length > 0 && { nodeTaints: nodeTaints(node) }),
    },
    cluster: shared.cluster,
  };
}

/** What all nodes of a role have in common: made once, and written as text once. */
export interface SharedParts {
  readonly machine: Mapping;
  readonly cluster: Mapping;
}

export function sharedParts(config: Config, role: Role, options: MachineConfigOptions): SharedParts {
  const secrets = options.secrets ?? PLACEHOLDER_SECRETS;
  return {
    machine: sharedMachine(config, role, secrets, versionsOf(config, options)),
    cluster:
      role === 'controlplane'
        ? controlPlaneCluster(config, secrets, options)
        : commonCluster(config, role, secrets),
  };
}

function versionsOf(config: Config, { components }: MachineConfigOptions): ComponentVersions {
  const version = formatVersion(config.cluster.kubernetes);
  return (
    components ?? {
      apiServer: version,
      controllerManager: version,
      scheduler: version,
      proxy: version,
      kubelet: version,
    }
  );
}

function sharedMachine(
  config: Config,
  role: Role,
  secrets: TalosSecrets,
  versions: ComponentVersions,
): Mapping {
  return {
    type: role,
    token: secrets.trustdinfo.token,
    ca: authority(secrets.certs.os, role),
    certSANs: machineNames(config, role),
    kubelet: {
      image: `ghcr.io/siderolabs/kubelet:${versions.kubelet}`,
      defaultRuntimeSeccompProfileEnabled: true,
      disableManifestsDirectory: true,
      nodeIP: { validSubnets: ownSubnets(config) },
    },
    features: {
      diskQuotaSupport: true,
      kubePrism: { enabled: true, port: KUBEPRISM_PORT },
      hostDNS: { enabled: true, forwardKubeDNSToHost: true },
    },
  };
}

/** The nodes' subnet without the VIP, which must never become a node's own address. */
function ownSubnets(config: Config): string[] {
  const { vip } = config.cluster;
  return [formatCidr(config.network.subnet), ...(vip === undefined ? [] : [`!${vip}/32`])];
}

function commonCluster(config: Config, role: Role, secrets: TalosSecrets): Mapping {
  const { cluster } = config;
  const cilium = config.kubernetes.cilium !== undefined;
  return {
    id: secrets.cluster.id,
    secret: secrets.cluster.secret,
    controlPlane: { endpoint: clusterEndpoint(config) },
    clusterName: cluster.name,
    network: {
      ...(cilium && { cni: { name: 'none' } }),
      dnsDomain: cluster.domain,
      podSubnets: [...cluster.podSubnets],
      serviceSubnets: [...cluster.serviceSubnets],
    },
    token: secrets.secrets.bootstraptoken,
    ca: authority(secrets.certs.k8s, role),
    discovery: { enabled: true, registries: { kubernetes: { disabled: true }, service: {} } },
  };
}

function controlPlaneCluster(config: Config, secrets: TalosSecrets, options: MachineConfigOptions): Mapping {
  const versions = versionsOf(config, options);
  const { secretboxencryptionsecret, aescbcencryptionsecret } = secrets.secrets;
  const manifests = extraManifests(config);
  const inline = options.inlineManifests ?? [];
  return {
    ...commonCluster(config, 'controlplane', secrets),
    ...(secretboxencryptionsecret !== undefined && { secretboxEncryptionSecret: secretboxencryptionsecret }),
    ...(aescbcencryptionsecret !== undefined && { aescbcEncryptionSecret: aescbcencryptionsecret }),
    aggregatorCA: authority(secrets.certs.k8saggregator, 'controlplane'),
    serviceAccount: { key: secrets.certs.k8sserviceaccount.key },
    apiServer: {
      image: `registry.k8s.io/kube-apiserver:${versions.apiServer}`,
      certSANs: apiServerNames(config),
      admissionControl: [{ name: 'PodSecurity', configuration: POD_SECURITY }],
      auditPolicy: AUDIT_POLICY,
    },
    controllerManager: { image: `registry.k8s.io/kube-controller-manager:${versions.controllerManager}` },
    proxy: {
      ...(config.kubernetes.cilium !== undefined && { disabled: true }),
      image: `registry.k8s.io/kube-proxy:${versions.proxy}`,
    },
    scheduler: { image: `registry.k8s.io/kube-scheduler:${versions.scheduler}` },
    etcd: {
      ca: authority(secrets.certs.etcd, 'controlplane'),
      advertisedSubnets: ownSubnets(config),
    },
    ...(manifests.length > 0 && { extraManifests: manifests }),
    ...(inline.length > 0 && { inlineManifests: inline.map(({ name, contents }) => ({ name, contents })) }),
    allowSchedulingOnControlPlanes: config.cluster.scheduleOnControlPlanes,
  };
}

/** Workers know the certificate of an authority, never its key. */
function authority({ crt, key }: KeyPair, role: Role): KeyPair {
  return { crt, key: role === 'controlplane' ? key : '' };
}

/** What Talos fetches itself, in this order. */
export function extraManifests(config: Config): string[] {
  const { gatewayApi, csi } = config.kubernetes;
  const driver = typeof csi?.driver === 'object' ? csi.driver : undefined;
  return [
    ...(gatewayApi ? [gatewayApiUrl(gatewayApi.version, gatewayApi.channel)] : []),
    ...(driver && 'url' in driver.manifest ? [checkedUrl(driver.manifest.url, driver.sha256)] : []),
    ...config.cluster.extraManifests.map(({ url, sha256 }) => checkedUrl(url, sha256)),
  ];
}

/** Talos downloads with go-getter, which refuses a file that does not hash to this. */
function checkedUrl(url: string, sha256: string | undefined): string {
  return sha256 === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}checksum=sha256:${sha256}`;
}

function gatewayApiUrl(version: string, channel: string): string {
  return `https://github.com/kubernetes-sigs/gateway-api/releases/download/${version}/${channel}-install.yaml`;
}

/** The driver counts on 24 and takes scsi1 to scsi29, where our own drives are as well. */
const MAX_ATTACHMENTS = 'csi.proxmox.sinextra.dev/max-volume-attachments';
const CSI_SLOTS = 29;

function attachedDrives({ drives }: NodeDesign): number {
  return drives.filter((drive) => drive.kept).length;
}

function nodeLabels({ config, node, nodeDesign, options }: NodeContext): Record<string, string> {
  return {
    ...(node.role === 'controlplane' && { 'node.kubernetes.io/exclude-from-external-load-balancers': '' }),
    'topology.kubernetes.io/region': config.proxmox.cluster,
    'topology.kubernetes.io/zone': options.hosts?.[node.name] ?? nodeDesign.host,
    ...(hasCsi(config) && { [MAX_ATTACHMENTS]: String(CSI_SLOTS - attachedDrives(nodeDesign)) }),
    ...ownLabels(node),
  };
}

function ownLabels({ role, labels }: NodeConfig): Record<string, string> {
  if (role === 'controlplane') return labels;
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !isRestrictedLabel(key)));
}

/** `key: value:effect`, as Talos writes taints. */
function nodeTaints(node: NodeConfig): Record<string, string> {
  return Object.fromEntries(
    node.taints.map(({ key, value, effect }) => [key, value === undefined ? effect : `${value}:${effect}`]),
  );
}

/** The defaults of Talos' own generator. */
const POD_SECURITY = {
  apiVersion: 'pod-security.admission.config.k8s.io/v1alpha1',
  kind: 'PodSecurityConfiguration',
  defaults: {
    audit: 'restricted',
    'audit-version': 'latest',
    enforce: 'baseline',
    'enforce-version': 'latest',
    warn: 'restricted',
    'warn-version': 'latest',
  },
  exemptions: { namespaces: ['kube-system'], runtimeClasses: [], usernames: [] },
};

const AUDIT_POLICY = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
