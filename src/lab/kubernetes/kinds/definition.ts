import { rulesEngine } from '../cel/engine.js';
import { at, isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import type { KubeObject } from '../object.js';
import { customSchema } from '../schema/open-api.js';
import { type FieldError, invalidValue, requiredValue } from '../status.js';
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
  validate(definition) {
    const errors: FieldError[] = [];
    const { group, names, versions } = objOf(definition.spec);
    const wanted = `${textOf(objOf(names).plural)}.${textOf(group)}`;
    if (definition.metadata.name !== wanted) {
      const detail = 'must be spec.names.plural+"."+spec.group';
      errors.push(invalidValue('metadata.name', definition.metadata.name, detail));
    }
    if (isProtected(textOf(group)) && definition.metadata.annotations?.[APPROVED] === undefined) {
      const detail = `protected groups must have approval annotation "${APPROVED}", see https://github.com/kubernetes/enhancements/pull/1111`;
      errors.push(requiredValue(`metadata.annotations[${APPROVED}]`, detail));
    }
    const stored = listOf(versions).filter((version) => objOf(version).storage === true);
    if (stored.length !== 1) {
      const detail = 'must have exactly one version marked as storage version';
      errors.push(invalidValue('spec.versions', versions, detail));
    }
    listOf(versions).forEach((version, index) => {
      if (!isObj(at(version, 'schema', 'openAPIV3Schema'))) {
        const field = `spec.versions[${index}].schema.openAPIV3Schema`;
        errors.push(requiredValue(field, 'schemas are required'));
      }
    });
    if (errors.length === 0) errors.push(...(rulesEngine()?.definitionRuleErrors(definition) ?? []));
    return errors;
  },
};

function storageVersion(definition: KubeObject): string {
  const versions = listOf(at(definition, 'spec', 'versions')).map(objOf);
  return textOf(versions.find((version) => version.storage === true)?.name);
}

/** What the naming and establishing controllers of the API server write soon after. */
export function establishedStatus(definition: KubeObject, time: string): Obj {
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime: time,
    reason,
    message,
  });
  return {
    ...objOf(definition.status),
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: objOf(at(definition, 'spec', 'names')),
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
