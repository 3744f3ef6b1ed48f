import { at, isObj, type Obj, objOf, stringsOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { selectorMatches } from '../../selectors/object-selector.js';
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from '../../status.js';
import { scheduleFault } from './cron.js';
import { ifSaid, notNegative, oneOf, selectorErrors } from './fields.js';
import { templateErrors } from './workloads.js';

const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** `validateJobSpec` of `pkg/apis/batch/validation`. */
function jobSpecErrors(spec: Obj, field: string): FieldError[] {
  return [
    ...NUMBERS.flatMap((name) => notNegative(spec[name], `${field}.${name}`)),
    ...ifSaid(spec.completionMode, ['NonIndexed', 'Indexed'], `${field}.completionMode`),
    ...(spec.completionMode === 'Indexed' ? indexedErrors(spec, field) : plainErrors(spec, field)),
    ...ifSaid(spec.podReplacementPolicy, ['Failed', 'TerminatingOrFailed'], `${field}.podReplacementPolicy`),
    ...templateErrors(objOf(spec.template), `${field}.template`),
    ...restartErrors(spec, `${field}.template.spec.restartPolicy`),
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [requiredValue(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
  ];
}

const MOST_PARALLEL = 100_000;

function indexedErrors(spec: Obj, field: string): FieldError[] {
  const { completions, parallelism, maxFailedIndexes: failed } = spec;
  const errors: FieldError[] = [];
  if (completions === undefined) {
    errors.push(requiredValue(`${field}.completions`, 'when completion mode is Indexed'));
  }
  if (Number(parallelism ?? 0) > MOST_PARALLEL) {
    const detail = `must be less than or equal to ${MOST_PARALLEL} when completion mode is Indexed`;
    errors.push(invalidValue(`${field}.parallelism`, parallelism, detail));
  }
  if (typeof failed === 'number' && typeof completions === 'number' && failed > completions) {
    const detail = 'must be less than or equal to completions';
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, detail));
  }
  return errors;
}

function plainErrors(spec: Obj, field: string): FieldError[] {
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((name) => spec[name] !== undefined)
    .map((name) => invalidValue(`${field}.${name}`, spec[name], 'requires indexed completion mode'));
}

function restartErrors(spec: Obj, field: string): FieldError[] {
  const policy = textOf(at(spec, 'template', 'spec', 'restartPolicy'));
  const words = ['OnFailure', 'Never'];
  if (policy === 'Always' || policy === '') {
    return [requiredValue(field, `valid values: ${words.map((word) => `"${word}"`).join(', ')}`)];
  }
  if (!words.includes(policy)) return [unsupportedValue(field, policy, words)];
  const detail = 'only "Never" is supported when podFailurePolicy is specified';
  return isObj(spec.podFailurePolicy) && policy !== 'Never' ? [invalidValue(field, policy, detail)] : [];
}

export function jobErrors(job: KubeObject): FieldError[] {
  const spec = objOf(job.spec);
  const errors = jobSpecErrors(spec, 'spec');
  const labels = at(spec, 'template', 'metadata', 'labels');
  const matches = isObj(spec.selector) && selectorMatches(spec.selector, stringsOf(labels));
  const detail = '`selector` does not match template `labels`';
  return [
    ...errors,
    ...(isObj(spec.selector)
      ? selectorErrors(spec.selector, 'spec.selector')
      : [requiredValue('spec.selector')]),
    ...(matches ? [] : [invalidValue('spec.template.metadata.labels', labels, detail)]),
  ];
}

export function cronJobErrors(cron: KubeObject): FieldError[] {
  const spec = objOf(cron.spec);
  const job = objOf(objOf(spec.jobTemplate).spec);
  const place = 'spec.jobTemplate.spec';
  const { selector } = job;
  const generated = '`selector` will be auto-generated';
  return [
    ...scheduleErrors(textOf(spec.schedule)),
    ...notNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'),
    ...zoneErrors(spec.timeZone),
    ...oneOf(spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], 'spec.concurrencyPolicy'),
    ...jobSpecErrors(job, place),
    ...(isObj(selector) ? [invalidValue(`${place}.selector`, selector, generated)] : []),
    ...(job.manualSelector === true
      ? [unsupportedValue(`${place}.manualSelector`, true, ['nil', 'false'])]
      : []),
    ...notNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'),
    ...notNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'),
    ...(cron.metadata.name.length > 52
      ? [invalidValue('metadata.name', cron.metadata.name, 'must be no more than 52 characters')]
      : []),
    ...(textOf(spec.schedule) === '' ? [requiredValue('spec.schedule')] : []),
  ];
}

function scheduleErrors(schedule: string): FieldError[] {
  if (schedule === '') return [];
  const field = 'spec.schedule';
  const fault = scheduleFault(schedule);
  const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  return [
    ...(fault ? [invalidValue(field, schedule, fault)] : []),
    ...(schedule.includes('TZ') ? [invalidValue(field, schedule, detail)] : []),
  ];
}

function zoneErrors(zone: unknown): FieldError[] {
  if (zone === undefined) return [];
  const field = 'spec.timeZone';
  const name = textOf(zone);
  if (name === '') return [invalidValue(field, '', 'timeZone must be nil or non-empty string')];
  const fault = `unknown time zone ${name}`;
  if (
    name.split('/').some((part) => !/^[A-Za-z.\d_+][-A-Za-z.\d_+]{0,}$/.test(part) || /^\.\.?$/.test(part))
  ) {
    return [invalidValue(field, name, fault)];
  }
  if (name.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalidValue(field, name, detail)];
  }
  return isZone(name) ? [] : [invalidValue(field, name, fault)];
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
