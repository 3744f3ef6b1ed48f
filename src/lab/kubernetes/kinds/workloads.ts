import { at, isObj, listOf, type Obj, objOf, sameJson, stringsOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { cronJobErrors, jobErrors } from './checks/jobs.js';
import { statusCounts } from './checks/status-counts.js';
import { statefulSetWarnings, templateWarnings } from './checks/warnings.js';
import {
  daemonSetErrors,
  deploymentErrors,
  replicaSetErrors,
  replicationControllerErrors,
  statefulSetErrors,
  templateErrors,
} from './checks/workloads.js';
import { fixedSpecFields } from './names.js';
import { defaultPodSpec } from './pod-spec.js';
import type { KindRules } from './resource-type.js';

function withTemplate(spec: Obj): Obj {
  const template = objOf(spec.template);
  return { ...spec, template: { ...template, spec: defaultPodSpec(objOf(template.spec)) } };
}

/** `25%` of both, as `SetDefaults_Deployment` has it. */
function rollingUpdate(given: unknown, defaults: Obj): Obj {
  const strategy = { type: 'RollingUpdate', ...objOf(given) };
  if (strategy.type !== 'RollingUpdate') return strategy;
  return { ...strategy, rollingUpdate: { ...defaults, ...objOf(objOf(given).rollingUpdate) } };
}

function statusFrom(old: KubeObject, draft: KubeObject): void {
  draft.status = old.status;
}

const common: KindRules = {
  generation: true,
  checksAll: true,
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate: (draft, old) => statusFrom(old, draft),
  validateUpdate: (object, old) => fixedSpecFields(object.spec, old.spec, ['selector']),
};

export const deploymentRules: KindRules = {
  ...statusCounts('updatedReplicas', 'readyReplicas', 'availableReplicas'),
  warnings: templateWarnings(['spec', 'template'], true),
  ...common,
  annotationsCount: true,
  validate: (object) => deploymentErrors(objOf(object.spec)),
  defaults(draft) {
    const spec = withTemplate(objOf(draft.spec));
    draft.spec = {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
      strategy: rollingUpdate(spec.strategy, { maxUnavailable: '25%', maxSurge: '25%' }),
    };
  },
};

export const replicaSetRules: KindRules = {
  ...statusCounts('fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'),
  warnings: templateWarnings(['spec', 'template'], true),
  ...common,
  validate: (object) => replicaSetErrors(objOf(object.spec)),
  defaults(draft) {
    draft.spec = { replicas: 1, ...withTemplate(objOf(draft.spec)) };
  },
};

/** Its selector is a plain map, and that of its template's labels where none is given. */
export const replicationControllerRules: KindRules = {
  orphansDependents: true,
  warnings: templateWarnings(['spec', 'template'], true),
  ...common,
  validateUpdate: () => [],
  defaults(draft) {
    const spec = withTemplate(objOf(draft.spec));
    const labels = at(spec, 'template', 'metadata', 'labels');
    if (isObj(labels))
      draft.metadata = { ...draft.metadata, labels: draft.metadata.labels ?? stringsOf(labels) };
    draft.spec = { replicas: 1, ...(isObj(labels) ? { selector: labels } : {}), ...spec };
  },
  validate: (object) => replicationControllerErrors(objOf(object.spec)),
};

export const podTemplateRules: KindRules = {
  warnings: templateWarnings(['template'], false),
  generation: true,
  returnsDeleted: true,
  checksAll: true,
  defaults(draft) {
    const template = objOf(draft.template);
    draft.template = { ...template, spec: defaultPodSpec(objOf(template.spec)) };
  },
  validate: (object) => templateErrors(objOf(object.template), 'template'),
};

/** A field of older versions, kept as an annotation: counts changes of the template. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

function countTemplate(draft: KubeObject, generation: number): void {
  const annotations = { ...draft.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  draft.metadata = { ...draft.metadata, annotations };
}

export const daemonSetRules: KindRules = {
  changesFirst: true,
  warnings: templateWarnings(['spec', 'template'], false),
  ...common,
  validate: (object) => daemonSetErrors(objOf(object.spec)),
  admitCreate(draft) {
    draft.status = {};
    countTemplate(draft, 1);
  },
  admitUpdate(draft, old) {
    statusFrom(old, draft);
    const last = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const changed = !sameJson(at(draft, 'spec', 'template'), at(old, 'spec', 'template'));
    countTemplate(draft, changed ? last + 1 : Math.max(last, 1));
  },
  defaults(draft) {
    const spec = withTemplate(objOf(draft.spec));
    draft.spec = {
      revisionHistoryLimit: 10,
      ...spec,
      updateStrategy: rollingUpdate(spec.updateStrategy, { maxUnavailable: 1, maxSurge: 0 }),
    };
  },
};

const STATEFUL_FIXED = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy'];

export const statefulSetRules: KindRules = {
  ...statusCounts('readyReplicas', 'currentReplicas', 'updatedReplicas'),
  warnings: statefulSetWarnings,
  ...common,
  validate: (object) => statefulSetErrors(objOf(object.spec)),
  validateUpdate: (object, old) => fixedSpecFields(object.spec, old.spec, STATEFUL_FIXED),
  defaults(draft) {
    const spec = withTemplate(objOf(draft.spec));
    const claims = listOf(spec.volumeClaimTemplates).map((claim) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      ...objOf(claim),
      spec: { volumeMode: 'Filesystem', ...objOf(objOf(claim).spec) },
      status: { phase: 'Pending' },
    }));
    draft.spec = {
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      revisionHistoryLimit: 10,
      ...spec,
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: 'Retain',
        whenScaled: 'Retain',
        ...objOf(spec.persistentVolumeClaimRetentionPolicy),
      },
      updateStrategy: rollingUpdate(spec.updateStrategy, { partition: 0, maxUnavailable: 1 }),
      ...(claims.length > 0 ? { volumeClaimTemplates: claims } : {}),
    };
  },
};

const JOB_FIXED = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
];

/** Where the pods of a job that has not started go may still change. */
function withoutPlacement({ metadata, spec, ...template }: Obj): Obj {
  const { labels: _l, annotations: _a, ...named } = objOf(metadata);
  const { nodeSelector: _n, tolerations: _t, schedulingGates: _g, affinity, ...rest } = objOf(spec);
  const { nodeAffinity: _o, ...others } = objOf(affinity);
  return { ...template, metadata: named, spec: { ...rest, affinity: others } };
}

export const jobRules: KindRules = {
  orphansDependents: true,
  warnings: templateWarnings(['spec', 'template'], true),
  generation: true,
  checksAll: true,
  defaults(draft) {
    const spec = withTemplate(objOf(draft.spec));
    const single = spec.completions === undefined && spec.parallelism === undefined;
    draft.spec = {
      ...(single ? { completions: 1 } : {}),
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2_147_483_647,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      ...spec,
    };
  },
  /** The job's pods carry its uid: the strategy writes selector and labels. */
  admitCreate(draft) {
    draft.status = {};
    const spec = objOf(draft.spec);
    if (spec.manualSelector === true) return;
    const uid = textOf(draft.metadata.uid);
    const own = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': draft.metadata.name,
      'controller-uid': uid,
      'job-name': draft.metadata.name,
    };
    const template = objOf(spec.template);
    const metadata = objOf(template.metadata);
    draft.spec = {
      ...spec,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { ...template, metadata: { ...metadata, labels: { ...objOf(metadata.labels), ...own } } },
    };
    // The job's labels, where it has none, are its template's.
    const labels = draft.metadata.labels ?? { ...stringsOf(metadata.labels), ...own };
    draft.metadata = { ...draft.metadata, labels };
  },
  admitUpdate: (draft, old) => statusFrom(old, draft),
  validate: jobErrors,
  validateUpdate(job, old) {
    const suspended = at(old, 'spec', 'suspend') === true && at(old, 'status', 'startTime') === undefined;
    const form = (object: KubeObject) => {
      const spec = objOf(object.spec);
      return suspended ? { ...spec, template: withoutPlacement(objOf(spec.template)) } : spec;
    };
    return fixedSpecFields(form(job), form(old), ['completions', 'selector', 'template', ...JOB_FIXED]);
  },
  fieldLabels: (job) => ({ 'status.successful': String(at(job, 'status', 'succeeded') ?? 0) }),
};

export const cronJobRules: KindRules = {
  warnings: templateWarnings(['spec', 'jobTemplate', 'spec', 'template'], true),
  generation: true,
  checksAll: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    const job = objOf(spec.jobTemplate);
    draft.spec = {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      ...spec,
      jobTemplate: { ...job, spec: withTemplate(objOf(job.spec)) },
    };
  },
  admitUpdate: (draft, old) => statusFrom(old, draft),
  validate: cronJobErrors,
};
