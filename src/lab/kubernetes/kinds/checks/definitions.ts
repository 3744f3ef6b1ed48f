/** CustomResourceDefinitions (`apiextensions-apiserver/pkg/apis/apiextensions/validation`). */
import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import { structuralErrors } from '../../schema/structural.js';
import { type FieldError, invalidValue, requiredValue, unsupportedValue } from '../../status.js';
import { faultsAt } from './fields.js';
import { dns1035Faults, subdomainFaults } from './texts.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const SIMPLE_PATH = 'must be a simple json path starting with .';

export function definitionErrors(definition: KubeObject): FieldError[] {
  const spec = objOf(definition.spec);
  const versions = listOf(spec.versions).map(objOf);
  return [
    ...groupErrors(textOf(spec.group)),
    ...(['Cluster', 'Namespaced'].includes(textOf(spec.scope))
      ? []
      : [unsupportedValue('spec.scope', textOf(spec.scope), ['Cluster', 'Namespaced'])]),
    ...versionErrors(versions, listOf(at(definition, 'status', 'storedVersions')).map(textOf)),
    ...nameErrors(objOf(spec.names)),
    ...(spec.preserveUnknownFields === true
      ? [
          invalidValue(
            'spec.preserveUnknownFields',
            true,
            'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
          ),
        ]
      : []),
    ...contentErrors(versions),
    ...conversionErrors(objOf(spec.conversion)),
  ];
}

/** What an established definition stays. */
export function definitionChangeErrors(is: KubeObject, was: KubeObject): FieldError[] {
  const fields = [['group'], ['scope'], ['names', 'kind'], ['names', 'plural']];
  return fields.flatMap((path) => {
    const [value, before] = [at(is.spec, ...path), at(was.spec, ...path)];
    return sameJson(value, before)
      ? []
      : [invalidValue(`spec.${path.join('.')}`, value, 'field is immutable')];
  });
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [requiredValue('spec.group')];
  const faults = faultsAt('spec.group', group, subdomainFaults(group));
  if (faults.length > 0 || group.includes('.')) return faults;
  return [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function versionErrors(versions: readonly Obj[], stored: readonly string[]): FieldError[] {
  const names = versions.map((version) => textOf(version.name));
  const storing = versions.filter((version) => version.storage === true);
  const shown = versions.map(goVersion);
  const unique = new Set(names).size === names.length;
  const errors = names.flatMap((name, index) =>
    faultsAt(`spec.versions[${index}].name`, name, dns1035Faults(name)),
  );
  // The first version is the one of definitions that had only one.
  const [first = ''] = names;
  if (names.length > 0) errors.push(...faultsAt('spec.version', first, dns1035Faults(first)));
  if (!unique) errors.push(invalidValue('spec.versions', shown, 'must contain unique version names'));
  if (storing.length === 1) return errors;
  const detail = 'must have exactly one version marked as storage version';
  errors.push(invalidValue('spec.versions', shown, detail));
  const field = 'status.storedVersions';
  if (storing.length === 0) {
    return [...errors, invalidValue(field, undefined, 'must have at least one stored version')];
  }
  const of = textOf(storing[0]?.name);
  return [...errors, invalidValue(field, stored, `must have the storage version ${of}`)];
}

/** As the server's own type has it, in Go's JSON. What is the same in all versions is not theirs. */
function goVersion({ name, served, storage, deprecated, deprecationWarning }: Obj): Obj {
  return {
    Name: textOf(name),
    Served: served === true,
    Storage: storage === true,
    Deprecated: deprecated === true,
    DeprecationWarning: deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

function nameErrors(names: Obj): FieldError[] {
  const field = 'spec.names';
  const mixed = (name: string) => {
    const value = textOf(names[name]);
    if (value === '') return [requiredValue(`${field}.${name}`)];
    const faults = dns1035Faults(value.toLowerCase());
    return faultsAt(
      `${field}.${name}`,
      value,
      faults.map((fault) => `may have mixed case, but should otherwise match: ${fault}`),
    );
  };
  const label = (value: string, place: string) => faultsAt(place, value, dns1035Faults(value));
  const plural = textOf(names.plural);
  return [
    ...(plural === '' ? [requiredValue(`${field}.plural`)] : label(plural, `${field}.plural`)),
    ...(textOf(names.singular) === '' ? [] : label(textOf(names.singular), `${field}.singular`)),
    ...mixed('kind'),
    ...mixed('listKind'),
    ...['shortNames', 'categories'].flatMap((list) =>
      listOf(names[list]).flatMap((name, index) => label(textOf(name), `${field}.${list}[${index}]`)),
    ),
  ];
}

/** Parts that all versions have alike are the definition's own to the server, and are told so. */
function contentErrors(versions: readonly Obj[]): FieldError[] {
  const part = (name: string, own: string, check: (value: unknown, path: string) => FieldError[]) => {
    const [first] = versions;
    if (first && versions.every((version) => sameJson(version[name] ?? null, first[name] ?? null))) {
      return check(first[name], `spec.${own}`);
    }
    return versions.flatMap((version, index) => check(version[name], `spec.versions[${index}].${name}`));
  };
  const missing = versions.flatMap((version, index) =>
    isObj(at(version, 'schema', 'openAPIV3Schema'))
      ? []
      : [requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`)],
  );
  return [
    ...missing,
    ...part('schema', 'validation', (schema, path) => {
      const openApi = objOf(schema).openAPIV3Schema;
      return isObj(openApi) ? structuralErrors(openApi, `${path}.openAPIV3Schema`) : [];
    }),
    ...part('subresources', 'subresources', scaleErrors),
    ...part('additionalPrinterColumns', 'additionalPrinterColumns', columnErrors),
  ];
}

function scaleErrors(subresources: unknown, path: string): FieldError[] {
  const { scale } = objOf(subresources);
  if (!isObj(scale)) return [];
  const pathErrors = (name: string, start: string, required: boolean): FieldError[] => {
    const value = textOf(scale[name]);
    const place = `${path}.scale.${name}`;
    if (value === '') return required ? [requiredValue(place)] : [];
    if (!isSimplePath(value)) return [invalidValue(place, value, SIMPLE_PATH)];
    return value.startsWith(start)
      ? []
      : [invalidValue(place, value, `should be a json path under ${start.replace(/\.$/, '')}`)];
  };
  return [
    ...pathErrors('specReplicasPath', '.spec.', true),
    ...pathErrors('statusReplicasPath', '.status.', true),
    ...pathErrors('labelSelectorPath', '.', false),
  ];
}

function isSimplePath(path: string): boolean {
  return /^(\.[A-Za-z_][\w-]*|\[\d+\]|\['[^']+'\])+$/.test(path);
}

function columnErrors(columns: unknown, path: string): FieldError[] {
  return listOf(columns)
    .map(objOf)
    .flatMap(({ name, type, jsonPath }, index) => {
      const place = `${path}[${index}]`;
      const from = textOf(jsonPath);
      return [
        ...(textOf(name) === '' ? [requiredValue(`${place}.name`)] : []),
        ...(COLUMN_TYPES.includes(textOf(type))
          ? []
          : [invalidValue(`${place}.type`, textOf(type), `must be one of ${COLUMN_TYPES.join(',')}`)]),
        ...(from === '' ? [requiredValue(`${place}.JSONPath`)] : []),
        ...(from !== '' && !from.startsWith('.')
          ? [invalidValue(`${place}.JSONPath`, from, SIMPLE_PATH)]
          : []),
      ];
    });
}

function conversionErrors({ strategy, webhook }: Obj): FieldError[] {
  const field = 'spec.conversion';
  if (strategy === 'None') return [];
  if (strategy !== 'Webhook') {
    return [unsupportedValue(`${field}.strategy`, textOf(strategy), ['None', 'Webhook'])];
  }
  const required = 'required when strategy is set to Webhook';
  return [
    ...(isObj(objOf(webhook).clientConfig) ? [] : [requiredValue(`${field}.webhookClientConfig`, required)]),
    ...(listOf(objOf(webhook).conversionReviewVersions).length > 0
      ? []
      : [requiredValue(`${field}.conversionReviewVersions`)]),
  ];
}
