import { at, isObj, listOf, type Obj, objOf, sameJson, stringsOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { selectorMatches } from '../selectors/object-selector.js';
import { type FieldError, invalidValue, requiredValue } from '../status.js';
import { podSpecErrors } from './pod.js';
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

/** The selector must pick the template's pods, and may not change. */
function templateErrors(object: KubeObject): FieldError[] {
  const spec = objOf(object.spec);
  const errors: FieldError[] = [];
  if (!isObj(spec.selector)) errors.push(requiredValue('spec.selector'));
  else if (!selectorMatches(spec.selector, stringsOf(at(spec, 'template', 'metadata', 'labels')))) {
    const labels = at(spec, 'template', 'metadata', 'labels') ?? {};
    errors.push(
      invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'),
    );
  }
  const claims = listOf(spec.volumeClaimTemplates).map((claim) => textOf(at(claim, 'metadata', 'name')));
  return [...errors, ...podSpecErrors(objOf(at(spec, 'template', 'spec')), 'spec.template.spec', claims)];
}

function immutableSelector(object: KubeObject, old: KubeObject): FieldError[] {
  const [is, was] = [at(object, 'spec', 'selector'), at(old, 'spec', 'selector')];
  return sameJson(is, was) ? [] : [invalidValue('spec.selector', is, 'field is immutable')];
}

function statusFrom(old: KubeObject, draft: KubeObject): void {
  draft.status = old.status;
}

const common: KindRules = {
  generation: true,
  admitCreate(draft) {
    draft.status = {};
  },
  admitUpdate: (draft, old) => statusFrom(old, draft),
  validate: templateErrors,
  validateUpdate: immutableSelector,
};

export const deploymentRules: KindRules = {
  ...common,
  annotationsCount: true,
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
  ...common,
  defaults(draft) {
    draft.spec = { replicas: 1, ...withTemplate(objOf(draft.spec)) };
  },
  fieldLabels: (set) => ({ 'status.replicas': String(at(set, 'status', 'replicas') ?? 0) }),
};

/** Its selector is a plain map, and that of its template's labels where none is given. */
export const replicationControllerRules: KindRules = {
  ...common,
  validateUpdate: () => [],
  defaults(draft) {
    const spec = withTemplate(objOf(draft.spec));
    const labels = at(spec, 'template', 'metadata', 'labels');
    draft.spec = { replicas: 1, ...(isObj(labels) ? { selector: labels } : {}), ...spec };
  },
  validate: (object) => podSpecErrors(objOf(at(object, 'spec', 'template', 'spec')), 'spec.template.spec'),
};

export const podTemplateRules: KindRules = {
  generation: true,
  defaults(draft) {
    const template = objOf(draft.template);
    draft.template = { ...template, spec: defaultPodSpec(objOf(template.spec)) };
  },
};

/** A field of older versions, kept as an annotation: counts changes of the template. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

function countTemplate(draft: KubeObject, generation: number): void {
  const annotations = { ...draft.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  draft.metadata = { ...draft.metadata, annotations };
}

export const daemonSetRules: KindRules = {
  ...common,
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

export const statefulSetRules: KindRules = {
  ...common,
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
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      ...spec,
      updateStrategy: rollingUpdate(spec.updateStrategy, { partition: 0 }),
      ...(claims.length > 0 ? { volumeClaimTemplates: claims } : {}),
    };
  },
};

export const jobRules: KindRules = {
  generation: true,
  defaults(draft) {
    const spec = withTemplate(objOf(draft.spec));
    const single = spec.completions === undefined && spec.parallelism === undefined;
    draft.spec = {
      ...(single ? { completions: 1 } : {}),
      parallelism: 1,
      backoffLimit: 6,
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
  },
  admitUpdate: (draft, old) => statusFrom(old, draft),
  validate(job) {
    const spec = objOf(at(job, 'spec', 'template', 'spec'));
    const errors = podSpecErrors(spec, 'spec.template.spec');
    if (spec.restartPolicy === 'Always') {
      errors.push({
        field: 'spec.template.spec.restartPolicy',
        type: 'Required',
        detail: 'Required value: valid values: "OnFailure", "Never"',
      });
    }
    return errors;
  },
  validateUpdate(job, old) {
    const [is, was] = [at(job, 'spec', 'template'), at(old, 'spec', 'template')];
    return sameJson(is, was) ? [] : [invalidValue('spec.template', is, 'field is immutable')];
  },
  fieldLabels: (job) => ({ 'status.successful': String(at(job, 'status', 'succeeded') ?? 0) }),
};

export const cronJobRules: KindRules = {
  generation: true,
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
};
