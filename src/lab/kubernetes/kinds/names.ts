import { isObj, listOf, objOf, sameJson, textOf } from '../json.js';
import type { Meta } from '../object.js';
import { type FieldError, forbiddenValue, invalidValue, requiredValue, tooLong } from '../status.js';
import { annotationKeyErrors, faultsAt, labelsErrors } from './checks/fields.js';
import { dnsLabelFaults, labelKeyFaults, pathSegmentFaults, subdomainFaults } from './checks/texts.js';

export type NameRule = 'subdomain' | 'label' | 'path-segment';

/** All of an object's annotations together (apimachinery, TotalAnnotationSizeLimitB). */
const ANNOTATIONS_LIMIT = 256 * 1024;

/** The complaints of `apimachinery/pkg/util/validation` about a name. */
function nameFaults(name: string, rule: NameRule): string[] {
  switch (rule) {
    case 'subdomain':
      return subdomainFaults(name);
    case 'label':
      return dnsLabelFaults(name);
    case 'path-segment':
      return pathSegmentFaults(name);
  }
}

/** A name that others are made from may end in `-`. */
function prefixOf(generateName: string): string {
  return generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
}

interface MetadataRules {
  readonly name: NameRule;
  /** Kinds of the server's own take only finalizers that they know or that carry a domain. */
  readonly builtIn: boolean;
  readonly old: Meta | undefined;
}

export function metadataErrors(metadata: Meta, { name: rule, builtIn, old }: MetadataRules): FieldError[] {
  const { name, generateName, labels, annotations, finalizers } = metadata;
  const errors: FieldError[] = [];
  if (old === undefined && generateName) {
    errors.push(...faultsAt('metadata.generateName', generateName, nameFaults(prefixOf(generateName), rule)));
  }
  if (name === '') errors.push(requiredValue('metadata.name', 'name or generateName is required'));
  else errors.push(...faultsAt('metadata.name', name, nameFaults(name, rule)));
  if (old?.deletionTimestamp) errors.push(...newFinalizerErrors(finalizers ?? [], old.finalizers ?? []));
  errors.push(...labelsErrors(labels, 'metadata.labels'));
  errors.push(...annotationKeyErrors(annotations, 'metadata.annotations'));
  const size = Object.entries(annotations ?? {}).reduce((sum, [key, value]) => {
    return sum + Buffer.byteLength(key) + Buffer.byteLength(String(value));
  }, 0);
  if (size > ANNOTATIONS_LIMIT) errors.push(tooLong('metadata.annotations', ANNOTATIONS_LIMIT));
  errors.push(...ownerErrors(listOf(metadata.ownerReferences)));
  if (old === undefined || builtIn) errors.push(...finalizerErrors(finalizers ?? []));
  if (builtIn) errors.push(...unknownFinalizerErrors(finalizers ?? []));
  return errors;
}

function newFinalizerErrors(is: readonly string[], was: readonly string[]): FieldError[] {
  const more = is.filter((finalizer) => !was.includes(finalizer)).sort();
  if (more.length === 0) return [];
  const shown = `[]string{${more.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
  return [forbiddenValue('metadata.finalizers', detail)];
}

function finalizerErrors(finalizers: readonly string[]): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    faultsAt('metadata.finalizers', finalizer, labelKeyFaults(finalizer)),
  );
  const both = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion');
  const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
  return both ? [...errors, invalidValue('metadata.finalizers', finalizers, detail)] : errors;
}

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** `validateFinalizerName`: of the form of a label's key, and known or with a domain. */
export function finalizerNameErrors(finalizer: string, field: string): FieldError[] {
  return [
    ...faultsAt(field, finalizer, labelKeyFaults(finalizer)),
    ...unknownFinalizerErrors([finalizer]).map((error) => ({ ...error, field })),
  ];
}

function unknownFinalizerErrors(finalizers: readonly string[]): FieldError[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((finalizer, index) =>
    finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)
      ? []
      : [invalidValue(`metadata.finalizers[${index}]`, finalizer, detail)],
  );
}

function ownerErrors(references: readonly unknown[]): FieldError[] {
  const field = 'metadata.ownerReferences';
  let controller = '';
  return references.filter(isObj).flatMap((reference, index) => {
    const place = `${field}[${index}]`;
    const version = textOf(reference.apiVersion);
    const errors: FieldError[] = [];
    for (const part of ['apiVersion', 'kind', 'name', 'uid']) {
      if (textOf(reference[part]) === '') errors.push(requiredValue(`${place}.${part}`, 'must not be empty'));
      else if (part === 'apiVersion' && version.split('/').length > 2) {
        errors.push(invalidValue(`${place}.${part}`, version, 'must be <group>/<version> or <version>'));
      }
    }
    if (version === 'v1' && reference.kind === 'Event') {
      errors.push(invalidValue(place, reference, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (reference.controller !== true) return errors;
    const own = `${textOf(reference.kind)}/${textOf(reference.name)}`;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${own}`;
    if (controller !== '') errors.push(invalidValue(field, references, detail));
    else controller = own;
    return errors;
  });
}

/** `ValidateImmutableField`. */
export function fixedField(is: unknown, was: unknown, field: string, shown = true): FieldError[] {
  const value = shown ? is : undefined;
  return sameJson(is ?? null, was ?? null) ? [] : [invalidValue(field, value, 'field is immutable')];
}

/** `ValidateImmutableField` of fields of the spec. */
export function fixedSpecFields(is: unknown, was: unknown, fields: readonly string[]): FieldError[] {
  return fields.flatMap((name) => fixedField(objOf(is)[name], objOf(was)[name], `spec.${name}`));
}
