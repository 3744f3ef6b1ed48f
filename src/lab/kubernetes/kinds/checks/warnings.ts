/** What kinds take but warn of; `old`: what an update replaces. */
import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { fractionWarning, podWarnings, selectorTermWarnings } from './pod-warnings.js';
import { dnsLabelFaults } from './texts.js';

type Warnings = (object: KubeObject, old: KubeObject | undefined) => string[];

const POD_NAME = 'which can result in surprising behavior; a DNS label is recommended:';

function nameWarnings(name: string, use: string): string[] {
  const faults = dnsLabelFaults(name);
  return faults.length === 0
    ? []
    : [`metadata.name: this is used in ${use}, ${POD_NAME} [${faults.join(' ')}]`];
}

export const podOwnWarnings: Warnings = (pod, old) =>
  old
    ? []
    : [...nameWarnings(pod.metadata.name, "the Pod's hostname"), ...podWarnings(objOf(pod.spec), 'spec')];

/** Of the template at `path`; `named`: pods are called after the object. */
export function templateWarnings(path: readonly string[], named: boolean): Warnings {
  return (object, old) => {
    if (old && sameJson(object.spec ?? object.template, old.spec ?? old.template)) return [];
    const name = named && !old ? nameWarnings(object.metadata.name, 'Pod names and hostnames') : [];
    return [...name, ...podWarnings(objOf(at(object, ...path, 'spec')), `${path.join('.')}.spec`)];
  };
}

export function claimWarnings(spec: Obj, field: string): string[] {
  return ['requests', 'limits'].flatMap((part) =>
    fractionWarning(at(spec, 'resources', part, 'storage'), `${field}.resources.${part}[storage]`),
  );
}

export const statefulSetWarnings: Warnings = (set, old) => [
  ...templateWarnings(['spec', 'template'], false)(set, old),
  ...listOf(at(set, 'spec', 'volumeClaimTemplates')).flatMap((claim, index) =>
    claimWarnings(objOf(objOf(claim).spec), `spec.volumeClaimTemplates[${index}]${old ? '.Spec' : ''}`),
  ),
  ...(Number(at(set, 'spec', 'revisionHistoryLimit') ?? 0) < 0
    ? [
        'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
      ]
    : []),
];

export const volumeWarnings: Warnings = ({ spec }) => [
  ...(objOf(spec).persistentVolumeReclaimPolicy === 'Recycle'
    ? [
        'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      ]
    : []),
  ...listOf(at(spec, 'nodeAffinity', 'required', 'nodeSelectorTerms')).flatMap((term, index) =>
    selectorTermWarnings(objOf(term), `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, false),
  ),
];

export const serviceWarnings: Warnings = ({ metadata, spec }) => {
  const { type, clusterIP, loadBalancerIP, externalIPs, sessionAffinity, externalName, trafficDistribution } =
    objOf(spec);
  const headless = type === 'ClusterIP' && clusterIP === 'None';
  const outside = listOf(externalIPs).length > 0;
  const ignored = (name: string) => `spec.${name} is ignored for headless services`;
  const hints = 'service.kubernetes.io/topology-aware-hints';
  return [
    ...(metadata.annotations?.[hints] === undefined
      ? []
      : [`annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`]),
    ...(headless && textOf(loadBalancerIP) !== '' ? [ignored('loadBalancerIP')] : []),
    ...(headless && outside ? [ignored('externalIPs')] : []),
    ...(headless && sessionAffinity !== 'None' ? [ignored('SessionAffinity')] : []),
    ...(outside && !headless && type !== 'ExternalName'
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...(outside && type === 'ExternalName'
      ? ['spec.externalIPs is ignored when spec.type is "ExternalName"']
      : []),
    ...(type !== 'ExternalName' && textOf(externalName) !== ''
      ? ['spec.externalName is ignored when spec.type is not "ExternalName"']
      : []),
    ...(trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
};

export const csiDriverWarnings: Warnings = ({ spec }, old) => {
  const { tokenRequests, serviceAccountTokenInSecrets: inSecrets } = objOf(spec);
  const changed = !old || !sameJson(tokenRequests ?? null, objOf(old.spec).tokenRequests ?? null);
  return changed && listOf(tokenRequests).length > 0 && inSecrets === undefined
    ? [
        'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
      ]
    : [];
};

export const ingressWarnings: Warnings = ({ metadata, spec }, old) => {
  const annotation = 'kubernetes.io/ingress.class';
  const dated = metadata.annotations?.[annotation] !== undefined && !isObj(old);
  return dated && objOf(spec).ingressClassName === undefined
    ? [`annotation "${annotation}" is deprecated, please use 'spec.ingressClassName' instead`]
    : [];
};
