import { at, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { type FieldError, invalidValue, requiredValue } from '../status.js';
import { faultsAt } from './checks/fields.js';
import { labelKeyFaults } from './checks/texts.js';
import type { KindRules } from './resource-type.js';

/** Field of a core event → its name in events.k8s.io. */
const NAMES: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renamed(event: KubeObject, names: readonly (readonly [string, string])[]): KubeObject {
  const to = new Map(names);
  const entries = Object.entries(event).map(([field, value]) => [to.get(field) ?? field, value] as const);
  return { ...event, ...Object.fromEntries(entries) };
}

/** The two groups keep the same events, each in its own words. */
export function coreEvent(event: KubeObject): KubeObject {
  const out = renamed(
    event,
    NAMES.map(([core, other]) => [other, core] as const),
  );
  for (const [, other] of NAMES) delete out[other];
  return { ...out, apiVersion: 'v1' };
}

export function groupEvent(event: KubeObject): KubeObject {
  const out = renamed(event, NAMES);
  for (const [core] of NAMES) delete out[core];
  for (const name of ['reportingController', 'reportingInstance']) if (out[name] === '') delete out[name];
  return { ...out, apiVersion: 'events.k8s.io/v1' };
}

const LIMITS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/** `pkg/apis/core/validation/events.go`: an event with a time is a new one. */
function commonErrors(event: KubeObject, controller: string): FieldError[] {
  const { namespace } = event.metadata;
  const about = textOf(at(event, 'involvedObject', 'namespace'));
  const elsewhere = invalidValue('involvedObject.namespace', about, 'does not match event.namespace');
  if (!event.eventTime) {
    const fits = about === '' ? namespace === undefined || namespace === 'default' : about === namespace;
    return fits ? [] : [elsewhere];
  }
  const errors: FieldError[] = [];
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(elsewhere);
  const reporter = textOf(event.reportingComponent);
  if (reporter === '') errors.push(requiredValue(controller));
  errors.push(...faultsAt(controller, reporter, labelKeyFaults(reporter)));
  for (const field of ['reportingInstance', 'action', 'reason', 'message'] as const) {
    const text = textOf(event[field]);
    if (text === '' && field !== 'message') errors.push(requiredValue(field));
    if (text.length > LIMITS[field]) {
      errors.push(invalidValue(field, '', `can have at most ${LIMITS[field]} characters`));
    }
  }
  return errors;
}

export const eventRules: KindRules = {
  createOnUpdate: true,
  name: 'path-segment',
  validate: (event) => commonErrors(event, 'reportingComponent'),
  fieldLabels: (event) => ({
    'involvedObject.kind': textOf(at(event, 'involvedObject', 'kind')),
    'involvedObject.namespace': textOf(at(event, 'involvedObject', 'namespace')),
    'involvedObject.name': textOf(at(event, 'involvedObject', 'name')),
    'involvedObject.uid': textOf(at(event, 'involvedObject', 'uid')),
    'involvedObject.apiVersion': textOf(at(event, 'involvedObject', 'apiVersion')),
    'involvedObject.resourceVersion': textOf(at(event, 'involvedObject', 'resourceVersion')),
    'involvedObject.fieldPath': textOf(at(event, 'involvedObject', 'fieldPath')),
    reason: textOf(event.reason),
    reportingComponent: textOf(event.reportingComponent),
    source: textOf(at(event, 'source', 'component')) || textOf(event.reportingComponent),
    type: textOf(event.type),
  }),
};

/** Made through events.k8s.io: nothing of the older form may be set. */
function strictErrors(event: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const series = objOf(event.series);
  if (event.series !== undefined) {
    if (Number(series.count ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
    if (!series.lastObservedTime) errors.push(requiredValue('series.lastObservedTime'));
  }
  if (!event.eventTime) errors.push(requiredValue('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    errors.push(invalidValue('type', '', `has invalid value: ${textOf(event.type)}`));
  }
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count'] as const) {
    if (event[field]) errors.push(invalidValue(field, '', 'needs to be unset'));
  }
  if (Object.keys(objOf(event.source)).length > 0) {
    errors.push(invalidValue('source', '', 'needs to be unset'));
  }
  return errors;
}

export const groupEventRules: KindRules = {
  name: 'path-segment',
  faultGroup: '',
  validate(event) {
    const core = coreEvent(event);
    return [...commonErrors(core, 'reportingController'), ...strictErrors(core)];
  },
  fieldLabels: (event) => eventRules.fieldLabels?.(coreEvent(event)) ?? {},
};
