import { definitionRules } from './definition.js';
import { namespaceRules } from './namespace.js';
import { nodeRules } from './node.js';
import { podRules } from './pod.js';
import { ALL_VERBS, type KindRules, type Subresource } from './resource-type.js';
import {
  budgetRules,
  eventRules,
  leaseRules,
  plainRules,
  roleBindingRules,
  roleRules,
  secretRules,
  serviceRules,
  specStatusRules,
} from './simple-kinds.js';
import {
  csiDriverRules,
  persistentVolumeClaimRules,
  persistentVolumeRules,
  storageClassRules,
  volumeAttachmentRules,
} from './volumes.js';
import {
  cronJobRules,
  daemonSetRules,
  deploymentRules,
  jobRules,
  replicaSetRules,
  statefulSetRules,
} from './workloads.js';

export interface KindRow {
  readonly kind: string;
  readonly rules: KindRules;
  /** `all` and `api-extensions` of `kubectl get`. */
  readonly categories?: readonly string[];
  readonly short?: readonly string[];
  readonly cluster?: true;
  readonly status?: true;
  readonly scale?: true;
  readonly plural?: string;
  readonly extra?: readonly Subresource[];
  readonly verbs?: readonly string[];
  readonly storageVersion?: string;
}

const ALL = ['all'];
const CREATE = ['create'];

/** Group → its kinds. The field facts of a group are in the module of the same first word (`storage.k8s.io` → storage). */
export const KIND_GROUPS: Readonly<
  Record<string, { readonly module: string; readonly kinds: readonly KindRow[] }>
> = {
  '': {
    module: 'core',
    kinds: [
      { kind: 'ConfigMap', rules: plainRules, short: ['cm'] },
      { kind: 'Endpoints', rules: plainRules, short: ['ep'], plural: 'endpoints' },
      { kind: 'Event', rules: eventRules, short: ['ev'] },
      {
        kind: 'Namespace',
        rules: namespaceRules,
        short: ['ns'],
        cluster: true,
        status: true,
        extra: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }],
        verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
      },
      { kind: 'Node', rules: nodeRules, short: ['no'], cluster: true, status: true },
      {
        kind: 'PersistentVolumeClaim',
        rules: persistentVolumeClaimRules,
        short: ['pvc'],
        status: true,
      },
      { kind: 'PersistentVolume', rules: persistentVolumeRules, short: ['pv'], cluster: true, status: true },
      {
        kind: 'Pod',
        rules: podRules,
        short: ['po'],
        categories: ALL,
        status: true,
        extra: [
          { name: 'binding', kind: 'Binding', verbs: CREATE },
          { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: CREATE },
          { name: 'log', kind: 'Pod', verbs: ['get'] },
        ],
      },
      { kind: 'Secret', rules: secretRules },
      { kind: 'ServiceAccount', rules: { ...plainRules, returnsDeleted: true }, short: ['sa'] },
      { kind: 'Service', rules: serviceRules, short: ['svc'], categories: ALL, status: true },
    ],
  },
  apps: {
    module: 'apps',
    kinds: [
      { kind: 'ControllerRevision', rules: plainRules },
      { kind: 'DaemonSet', rules: daemonSetRules, short: ['ds'], categories: ALL, status: true },
      {
        kind: 'Deployment',
        rules: deploymentRules,
        short: ['deploy'],
        categories: ALL,
        status: true,
        scale: true,
      },
      {
        kind: 'ReplicaSet',
        rules: replicaSetRules,
        short: ['rs'],
        categories: ALL,
        status: true,
        scale: true,
      },
      {
        kind: 'StatefulSet',
        rules: statefulSetRules,
        short: ['sts'],
        categories: ALL,
        status: true,
        scale: true,
      },
    ],
  },
  batch: {
    module: 'batch',
    kinds: [
      { kind: 'CronJob', rules: cronJobRules, short: ['cj'], categories: ALL, status: true },
      { kind: 'Job', rules: jobRules, categories: ALL, status: true },
    ],
  },
  policy: {
    module: 'policy',
    kinds: [{ kind: 'PodDisruptionBudget', rules: budgetRules, short: ['pdb'], status: true }],
  },
  'storage.k8s.io': {
    module: 'storage',
    kinds: [
      { kind: 'CSIDriver', rules: csiDriverRules, cluster: true },
      { kind: 'CSINode', rules: plainRules, cluster: true },
      {
        kind: 'StorageClass',
        rules: storageClassRules,
        short: ['sc'],
        cluster: true,
        plural: 'storageclasses',
      },
      { kind: 'VolumeAttachment', rules: volumeAttachmentRules, cluster: true, status: true },
    ],
  },
  'coordination.k8s.io': { module: 'coordination', kinds: [{ kind: 'Lease', rules: leaseRules }] },
  'apiextensions.k8s.io': {
    module: 'apiextensions',
    kinds: [
      {
        kind: 'CustomResourceDefinition',
        storageVersion: 'v1beta1',
        rules: definitionRules,
        short: ['crd', 'crds'],
        categories: ['api-extensions'],
        cluster: true,
        status: true,
      },
    ],
  },
  'rbac.authorization.k8s.io': {
    module: 'rbac',
    kinds: [
      { kind: 'ClusterRoleBinding', rules: roleBindingRules, cluster: true },
      { kind: 'ClusterRole', rules: roleRules, cluster: true },
      { kind: 'RoleBinding', rules: roleBindingRules },
      { kind: 'Role', rules: roleRules },
    ],
  },
  'networking.k8s.io': {
    module: 'networking',
    kinds: [
      { kind: 'IngressClass', rules: { generation: true }, cluster: true, plural: 'ingressclasses' },
      { kind: 'Ingress', rules: specStatusRules, short: ['ing'], status: true, plural: 'ingresses' },
      { kind: 'NetworkPolicy', rules: { generation: true }, short: ['netpol'], plural: 'networkpolicies' },
    ],
  },
  'scheduling.k8s.io': {
    module: 'scheduling',
    kinds: [
      {
        kind: 'PriorityClass',
        rules: { generation: true },
        short: ['pc'],
        cluster: true,
        plural: 'priorityclasses',
      },
    ],
  },
  'discovery.k8s.io': {
    module: 'discovery',
    kinds: [{ kind: 'EndpointSlice', rules: { generation: true } }],
  },
  'admissionregistration.k8s.io': {
    module: 'admissionregistration',
    kinds: [
      {
        kind: 'MutatingWebhookConfiguration',
        rules: { generation: true },
        cluster: true,
        categories: ['api-extensions'],
      },
      {
        kind: 'ValidatingAdmissionPolicy',
        rules: specStatusRules,
        cluster: true,
        status: true,
        plural: 'validatingadmissionpolicies',
        categories: ['api-extensions'],
      },
      {
        kind: 'ValidatingAdmissionPolicyBinding',
        rules: { generation: true },
        cluster: true,
        categories: ['api-extensions'],
      },
      {
        kind: 'ValidatingWebhookConfiguration',
        rules: { generation: true },
        cluster: true,
        categories: ['api-extensions'],
      },
    ],
  },
};
