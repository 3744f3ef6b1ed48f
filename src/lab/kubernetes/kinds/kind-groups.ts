import { configMapRules, secretRules } from './data-kinds.js';
import { definitionRules } from './definition.js';
import { coreEvent, eventRules } from './events.js';
import type { KindGroup } from './kind-row.js';
import { MORE_KIND_GROUPS } from './more-kind-groups.js';
import { namespaceRules } from './namespace.js';
import { nodeRules } from './node.js';
import { podRules } from './pod.js';
import { limitRangeRules, resourceQuotaRules } from './quotas.js';
import { ALL_VERBS } from './resource-type.js';
import { endpointsRules, serviceRules } from './services.js';
import { budgetRules, leaseRules, plainRules, roleBindingRules, roleRules } from './simple-kinds.js';
import {
  csiDriverRules,
  csiNodeRules,
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
  podTemplateRules,
  replicaSetRules,
  replicationControllerRules,
  statefulSetRules,
} from './workloads.js';

const ALL = ['all'];
const CREATE = ['create'];

/** Group → its kinds. The field facts of a group are in the module of the same first word (`storage.k8s.io` → storage). */
export const KIND_GROUPS: Readonly<Record<string, KindGroup>> = {
  '': {
    module: 'core',
    kinds: [
      { kind: 'Binding', rules: plainRules, verbs: CREATE },
      { kind: 'ConfigMap', rules: configMapRules, short: ['cm'] },
      { kind: 'Endpoints', rules: endpointsRules, short: ['ep'], plural: 'endpoints' },
      { kind: 'Event', rules: eventRules, short: ['ev'], convert: coreEvent },
      { kind: 'LimitRange', rules: limitRangeRules, short: ['limits'] },
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
          { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
          { name: 'binding', kind: 'Binding', verbs: CREATE },
          { name: 'ephemeralcontainers', kind: 'Pod', verbs: ['get', 'patch', 'update'] },
          { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
          { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
          { name: 'proxy', kind: 'PodProxyOptions', verbs: ['create', 'delete', 'get', 'patch', 'update'] },
          { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: CREATE },
          { name: 'log', kind: 'Pod', verbs: ['get'] },
        ],
      },
      { kind: 'PodTemplate', rules: podTemplateRules },
      {
        kind: 'ReplicationController',
        rules: replicationControllerRules,
        short: ['rc'],
        categories: ALL,
        status: true,
        scale: true,
      },
      { kind: 'ResourceQuota', rules: resourceQuotaRules, short: ['quota'], status: true },
      { kind: 'Secret', rules: secretRules },
      {
        kind: 'ServiceAccount',
        rules: { ...plainRules, returnsDeleted: true },
        short: ['sa'],
        extra: [
          {
            name: 'token',
            kind: 'TokenRequest',
            group: 'authentication.k8s.io',
            version: 'v1',
            verbs: CREATE,
          },
        ],
      },
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
      { kind: 'CSINode', rules: csiNodeRules, cluster: true },
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
  ...MORE_KIND_GROUPS,
};
