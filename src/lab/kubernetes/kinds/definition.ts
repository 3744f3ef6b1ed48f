import { rulesEngine } from '../cel/engine.js';
import { at, isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { customSchema } from '../schema/open-api.js';
import { type FieldError, invalidValue, requiredValue } from '../status.js';
import { definitionChangeErrors, definitionErrors } from './checks/definitions.js';
import { customRules } from './custom.js';
import {
  ALL_VERBS,
  type KindRules,
  type PrinterColumn,
  type ResourceType,
  type ScalePaths,
} from './resource-type.js';

const APPROVED = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes community's own names (`apiextensions-apiserver/pkg/apihelpers`). */
function isProtected(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

/** CustomResourceDefinition: the definition itself, and the kinds it brings. */
export const definitionRules: KindRules = {
  conditionalUpdate: true,
  generation: true,
  checksAll: true,
  expressions: true,
  defaults(draft) {
    const spec = objOf(draft.spec);
    const names = objOf(spec.names);
    const kind = textOf(names.kind);
    draft.spec = {
      conversion: { strategy: 'None' },
      ...spec,
      names: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names },
    };
  },
  admitCreate(draft) {
    draft.status = { storedVersions: [storageVersion(draft)] };
  },
  admitUpdate(draft, old) {
    draft.status = old.status;
  },
  validate(definition, old) {
    const errors: FieldError[] = [];
    const { group, names } = objOf(definition.spec);
    const wanted = `${textOf(objOf(names).plural)}.${textOf(group)}`;
    if (!old && definition.metadata.name !== wanted) {
      const detail = 'must be spec.names.plural+"."+spec.group';
      errors.push(invalidValue('metadata.name', definition.metadata.name, detail));
    }
    if (isProtected(textOf(group)) && definition.metadata.annotations?.[APPROVED] === undefined) {
      const detail = `protected groups must have approval annotation "${APPROVED}", see https://github.com/kubernetes/enhancements/pull/1111`;
      errors.push(requiredValue(`metadata.annotations[${APPROVED}]`, detail));
    }
    errors.push(...definitionErrors(definition));
    if (errors.length === 0) errors.push(...(rulesEngine()?.definitionRuleErrors(definition) ?? []));
    return errors;
  },
  validateUpdate: (definition, old) => (isEstablished(old) ? definitionChangeErrors(definition, old) : []),
};

function storageVersion(definition: KubeObject): string {
  const versions = listOf(at(definition, 'spec', 'versions')).map(objOf);
  return textOf(versions.find((version) => version.storage === true)?.name);
}

/** What the naming and establishing controllers of the API server write soon after. `others`: those of its group. */
export function establishedStatus(definition: KubeObject, others: readonly KubeObject[], time: string): Obj {
  const condition = (type: string, status: boolean, reason: string, message: string) => ({
    type,
    status: status ? 'True' : 'False',
    lastTransitionTime: time,
    reason,
    message,
  });
  const { accepted, conflict } = acceptedNames(definition, others);
  const names = conflict
    ? condition('NamesAccepted', false, conflict.reason, conflict.message)
    : condition('NamesAccepted', true, 'NoConflicts', 'no conflicts found');
  const established = conflict
    ? condition('Established', false, 'NotAccepted', 'not all names are accepted')
    : condition('Established', true, 'InitialNamesAccepted', 'the initial names have been accepted');
  return { ...objOf(definition.status), conditions: [names, established], acceptedNames: accepted };
}

interface NameConflict {
  readonly reason: string;
  readonly message: string;
}

/** The names that no other definition of the group has taken; the last conflict is the one that is told. */
function acceptedNames(
  definition: KubeObject,
  others: readonly KubeObject[],
): { accepted: Obj; conflict: NameConflict | undefined } {
  const wanted = objOf(at(definition, 'spec', 'names'));
  const taken = others.map((other) => objOf(at(other, 'status', 'acceptedNames')));
  const plurals = taken.flatMap(({ plural, singular, shortNames }) => [
    plural,
    singular,
    ...listOf(shortNames),
  ]);
  const kinds = taken.flatMap(({ kind, listKind }) => [kind, listKind]);
  const accepted: Obj = { kind: '', ...wanted };
  let conflict: NameConflict | undefined;
  const claim = (name: string, used: readonly unknown[], reason: string) => {
    const found = [wanted[name]].flat().find((one) => textOf(one) !== '' && used.includes(one));
    if (found === undefined) return;
    conflict = { reason, message: `"${textOf(found)}" is already in use` };
    if (name === 'kind') accepted.kind = '';
    else delete accepted[name];
  };
  claim('plural', plurals, 'PluralConflict');
  claim('singular', plurals, 'SingularConflict');
  claim('shortNames', plurals, 'ShortNamesConflict');
  claim('kind', kinds, 'KindConflict');
  claim('listKind', kinds, 'ListKindConflict');
  return { accepted, conflict };
}

/** How a definition looks that is going with all its objects. */
export function terminatingDefinition(definition: KubeObject, time: string): KubeObject {
  const going = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: time,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  const status = objOf(definition.status);
  return {
    ...definition,
    metadata: {
      ...definition.metadata,
      deletionTimestamp: time,
      finalizers: [...(definition.metadata.finalizers ?? []), 'customresourcecleanup.apiextensions.k8s.io'],
    },
    status: { ...status, conditions: [...listOf(status.conditions), going] },
  };
}

export function isEstablished(definition: KubeObject): boolean {
  return listOf(at(definition, 'status', 'conditions')).some(
    (condition) => objOf(condition).type === 'Established' && objOf(condition).status === 'True',
  );
}

/** The resources a definition serves, one per served version. */
export function definedTypes(definition: KubeObject): ResourceType[] {
  const spec = objOf(definition.spec);
  const names = objOf(spec.names);
  return listOf(spec.versions)
    .map(objOf)
    .filter((version) => version.served === true)
    .map((version) => {
      const openApi = objOf(at(version, 'schema', 'openAPIV3Schema'));
      const subresources = objOf(version.subresources);
      const kind = textOf(names.kind);
      return {
        group: textOf(spec.group),
        version: textOf(version.name),
        kind,
        plural: textOf(names.plural),
        singular: textOf(names.singular),
        listKind: textOf(names.listKind),
        namespaced: spec.scope === 'Namespaced',
        shortNames: listOf(names.shortNames).map(textOf),
        categories: listOf(names.categories).map(textOf),
        verbs: ALL_VERBS,
        subresources: [
          ...(isObj(subresources.status) ? [{ name: 'status', kind, verbs: READ_WRITE }] : []),
          ...(isObj(subresources.scale) ? [SCALE] : []),
        ],
        storageVersion: storageVersion(definition),
        schema: customSchema(openApi),
        rules: {
          ...customRules(openApi, isObj(subresources.status)),
          ...deprecation(spec, version, kind),
          ...selectable(version.selectableFields),
        },
        custom: {
          openApi,
          printerColumns: printerColumns(version.additionalPrinterColumns),
          ...(isObj(subresources.scale) ? { scale: scalePaths(subresources.scale) } : {}),
        },
      };
    });
}

const READ_WRITE = ['get', 'patch', 'update'];
const SCALE = { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: READ_WRITE };

/** `.spec.replicas` → its steps. */
function stepsOf(path: unknown): string[] {
  return textOf(path).split('.').slice(1);
}

function scalePaths(scale: Obj): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    spec: stepsOf(specReplicasPath),
    status: stepsOf(statusReplicasPath),
    selector: labelSelectorPath === undefined ? undefined : stepsOf(labelSelectorPath),
  };
}

function deprecation(spec: Obj, version: Obj, kind: string): Pick<KindRules, 'deprecated'> {
  if (version.deprecated !== true) return {};
  const told = `${textOf(spec.group)}/${textOf(version.name)} ${kind} is deprecated`;
  return { deprecated: textOf(version.deprecationWarning) || told };
}

/** Fields of the objects that lists can be asked for. */
function selectable(fields: unknown): Pick<KindRules, 'fieldLabels'> {
  const paths = listOf(fields).map((field) => stepsOf(objOf(field).jsonPath));
  if (paths.length === 0) return {};
  const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
  return {
    fieldLabels: (object) =>
      Object.fromEntries(paths.map((path) => [path.join('.'), text(at(object, ...path))])),
  };
}

const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function printerColumns(given: unknown): PrinterColumn[] {
  if (!Array.isArray(given)) return [AGE];
  return given.map(objOf).map((column) => ({
    name: textOf(column.name),
    type: textOf(column.type),
    jsonPath: textOf(column.jsonPath),
    ...(typeof column.format === 'string' ? { format: column.format } : {}),
    ...(typeof column.description === 'string' ? { description: column.description } : {}),
    ...(typeof column.priority === 'number' ? { priority: column.priority } : {}),
  }));
}
