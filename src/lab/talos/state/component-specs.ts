/** What Talos makes of its config for the programs of Kubernetes, and the roots of trust: read by `upgrade-k8s` and `rotate-ca`. */
import { parseVersion } from '../../../model/version.js';
import { at, list, readDocuments, string, strings } from '../config/config-document.js';
import type { Machine } from '../machine/machine.js';

type Resources = { id: string; spec: unknown }[];

/** In which the rendered configs have names of their own (k8s.FinalPrefix). */
const FINAL_SINCE = { major: 1, minor: 14 };

export function kubeletSpecs(machine: Machine): Resources {
  const { facts } = machine;
  if (!facts || machine.record.stage !== 'running') return [];
  const spec = { image: facts.kubelet.image, expectedNodename: machine.nodeName, config: {} };
  return [{ id: 'kubelet', spec }];
}

export function apiServerConfigs(machine: Machine): Resources {
  return ofControlPlane(machine, 'kube-apiserver', ({ images, cluster }) => ({
    image: images.apiServer,
    controlPlaneEndpoint: cluster.endpoint,
    etcdServers: ['https://127.0.0.1:2379'],
    localPort: 6443,
  }));
}

export function controllerManagerConfigs(machine: Machine): Resources {
  return ofControlPlane(machine, 'kube-controller-manager', ({ images }) => ({
    enabled: true,
    image: images.controllerManager,
  }));
}

export function schedulerConfigs(machine: Machine): Resources {
  return ofControlPlane(machine, 'kube-scheduler', ({ images }) => ({
    enabled: true,
    image: images.scheduler,
    config: {},
  }));
}

function ofControlPlane(
  machine: Machine,
  id: string,
  spec: (facts: NonNullable<Machine['facts']>) => unknown,
): Resources {
  const { facts, record } = machine;
  if (!facts || !machine.isControlPlane || record.stage !== 'running') return [];
  const version = parseVersion(record.system?.version ?? '');
  const final = version?.major === FINAL_SINCE.major && version.minor >= FINAL_SINCE.minor;
  return [id, ...(final ? [`final-${id}`] : [])].map((one) => ({ id: one, spec: spec(facts) }));
}

export function osRootSecrets(machine: Machine): Resources {
  const main = mainOf(machine);
  const { facts } = machine;
  if (!main || !facts) return [];
  const { crt, key } = facts.talosCa;
  return [
    {
      id: 'os',
      spec: {
        issuingCA: { crt, key },
        acceptedCAs: [{ crt }, ...list(at(main, 'machine', 'acceptedCAs'))],
        certSANIPs: machine.addresses.map(({ ip }) => ip),
        certSANDNSNames: facts.certSans,
        token: string(at(main, 'machine', 'token')) ?? '',
      },
    },
  ];
}

export function kubernetesRootSecrets(machine: Machine): Resources {
  const main = mainOf(machine);
  const { facts } = machine;
  if (!main || !facts || !machine.isControlPlane) return [];
  const cluster = at(main, 'cluster');
  const { crt, key } = facts.cluster.ca;
  const endpoint = /^(\w+):\/\/([^/]+)(.*)$/.exec(facts.cluster.endpoint);
  const serviceAccount = string(at(cluster, 'serviceAccount', 'key'));
  return [
    {
      id: 'k8s',
      spec: {
        name: facts.cluster.name,
        endpoint: { scheme: endpoint?.[1] ?? '', host: endpoint?.[2] ?? '', path: endpoint?.[3] ?? '' },
        localEndpoint: { scheme: 'https', host: 'localhost:7445', path: '' },
        certSANs: strings(at(cluster, 'apiServer', 'certSANs')),
        dnsDomain: string(at(cluster, 'network', 'dnsDomain')) ?? 'cluster.local',
        issuingCA: { crt, key },
        acceptedCAs: [{ crt }, ...list(at(cluster, 'acceptedCAs'))],
        ...(serviceAccount ? { serviceAccount: { key: serviceAccount } } : {}),
      },
    },
  ];
}

function mainOf({ config }: Machine) {
  return config === undefined
    ? undefined
    : readDocuments(config).find((document) => document.kind === 'v1alpha1')?.body;
}
