/** `contract: v1.14` says what `talosctl gen config` of 1.14 says: the new documents, and the rest as fields of v1alpha1. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { config, version } from '../../../test/support/design/config.js';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { parseTalosSecrets } from '../../secrets/talos-secrets.js';
import { design } from '../design-cluster.js';
import { MachineConfigWriter } from './machine-config.js';

const FOLDER = '../../../test/fixtures/secrets/talos-v1.14/';
const read = (name: string) => readFileSync(new URL(`${FOLDER}${name}`, import.meta.url), 'utf8');
const documentsOf = (text: string): Mapping[] => parseAllDocuments(text).map((document) => document.toJS());

/** A value of the recording's documents, and where ours has the same: a field of v1alpha1, or what is made of it. */
const SAME: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  KubeClusterConfig: { clusterName: 'cluster.clusterName', endpoint: 'cluster.controlPlane.endpoint' },
  KubeNetworkConfig: {
    dnsDomain: 'cluster.network.dnsDomain',
    podSubnets: 'cluster.network.podSubnets',
    serviceSubnets: 'cluster.network.serviceSubnets',
  },
  KubeletConfig: {
    image: 'machine.kubelet.image',
    defaultRuntimeSeccompProfileEnabled: 'machine.kubelet.defaultRuntimeSeccompProfileEnabled',
  },
  KubePrismConfig: { port: 'machine.features.kubePrism.port' },
  ResolverConfig: { hostDNS: 'machine.features.hostDNS' },
  KubeAdmissionControlConfig: { configuration: 'cluster.apiServer.admissionControl.0.configuration' },
  KubeAuditPolicyConfig: { configuration: 'cluster.apiServer.auditPolicy' },
  KubeAPIServerConfig: { image: 'cluster.apiServer.image' },
  KubeControllerManagerConfig: { image: 'cluster.controllerManager.image' },
  KubeSchedulerConfig: { image: 'cluster.scheduler.image' },
  KubeProxyConfig: { image: 'cluster.proxy.image' },
  DiscoveryIdentityConfig: { clusterID: 'cluster.id', clusterSecret: 'cluster.secret' },
};
/** Documents of the recording that have no field with a value: defaults of Talos, secrets in another spelling. */
const BY_DEFAULT = [
  'DiscoveryServiceConfig', // cluster.discovery.enabled
  'UnattendedInstallConfig', // machine.install
  'HostnameConfig', // the name of the node
  'KubeNodeConfig', // labels and the taint that Talos sets by the role
  'KubeAPIServerCAConfig',
  'KubeAggregatorCAConfig',
  'KubeServiceAccountConfig',
  'KubeAuthorizerConfig', // Node and RBAC
  'KubeFlannelCNIConfig', // vxlan, 4789
  'KubeCoreDNSConfig',
];
/** By the document alone, see docs/talos.md. */
const NOT_WRITTEN = ['KubeAuthenticationConfig', 'KubeEtcdEncryptionConfig'];
const WRITTEN = ['FilesystemTrimConfig', 'SecurityProfileConfig', 'VolumeConfig'];

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (found, key) => (isMapping(found) || Array.isArray(found) ? Object(found)[key] : undefined),
      value,
    );
}

describe('contract v1.14', () => {
  const base = config();
  const demo = config({
    cluster: {
      ...base.cluster,
      name: 'demo',
      endpoint: 'https://10.5.0.10:6443',
      kubernetes: version('v1.37.0'),
    },
    talos: { ...base.talos, version: version('v1.14.1'), contract: version('v1.14.0') },
  });
  const secrets = parseTalosSecrets(read('secrets.yaml'), 'fixture');
  const ours = documentsOf(new MachineConfigWriter(demo, design(demo), { secrets }).forNode('cp-1').text());
  const [main] = ours;
  const real = documentsOf(read('controlplane-0.yaml')).filter(({ kind }) => kind !== undefined);

  it('says everything that the recording says, or the page says what not', () => {
    const known = [...Object.keys(SAME), ...BY_DEFAULT, ...NOT_WRITTEN, ...WRITTEN];
    expect(real.map(({ kind }) => String(kind)).filter((kind) => !known.includes(kind))).toEqual([]);
    const page = readFileSync(new URL('../../../docs/talos.md', import.meta.url), 'utf8');
    expect(page).toContain('no probes, no anonymous requests');
  });

  it.each(
    real.filter(({ kind }) => String(kind) in SAME).map((document) => [String(document.kind), document]),
  )('%s as fields', (kind, document) => {
    for (const [key, field] of Object.entries(SAME[String(kind)] ?? {}))
      expect([field, at(main, field)]).toEqual([field, at(document, key)]);
  });

  it.each(WRITTEN)('%s as a document', (kind) => {
    const wanted = real.find((document) => document.kind === kind);
    const made = ours.find((document) => document.kind === kind && document.name === wanted?.name);
    expect(made).toMatchObject(wanted ?? {});
  });
});
