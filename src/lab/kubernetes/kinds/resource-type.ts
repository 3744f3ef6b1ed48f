import type { WriteOptions } from '../api/options.js';
import type { Obj } from '../json.js';
import type { KubeObject } from '../object.js';
import type { StructSchema } from '../schema/schema.js';
import type { FieldError } from '../status.js';
import type { NameRule } from './names.js';

/** One resource of one version of one API group: what discovery says of it and what the server does with it. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  /** The version in etcd, where it is not this one; clients see its hash. */
  readonly storageVersion?: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly schema: StructSchema;
  readonly rules: KindRules;
  /** Set for kinds that a CustomResourceDefinition brought. */
  readonly custom: CustomKind | undefined;
  /** Where its objects are kept, if under another group's name. */
  readonly store?: string;
  /** An object of another version of the group, in this one's form. */
  convert?(object: KubeObject): KubeObject;
}

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

interface CustomKind {
  readonly openApi: Obj;
  /** Where the scale subresource finds its numbers. */
  readonly scale?: ScalePaths;
  readonly printerColumns: readonly PrinterColumn[];
}

export interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** What the rules of a kind may look at. */
export interface RuleContext {
  readonly now: number;
  /** The time as objects carry it. */
  readonly time: string;
  /** Who writes, where it is a client. */
  readonly user?: NonNullable<WriteOptions['user']>;
  /** Adds a `Warning:` to the answer. */
  warn(text: string): void;
  find(resource: string, namespace: string | undefined, name: string): KubeObject | undefined;
  list(resource: string, namespace?: string): readonly KubeObject[];
  /** Five letters or digits as in generated names. */
  suffix(): string;
}

/** The behaviour of a kind beyond its fields. Drafts are the rule's own copies: it may change them. */
export interface KindRules {
  /** `metadata.generation` counts changes of what is not status. */
  readonly generation?: boolean;
  /** Annotations count as well (`deploymentStrategy.PrepareForUpdate`). */
  readonly annotationsCount?: boolean;
  /** What `metadata.generation` counts, where it is not everything but metadata and status. */
  versioned?(object: KubeObject): Obj;
  /** Status is kept from what a client creates (nodes), not only written through `/status`. */
  readonly statusOnCreate?: boolean;
  readonly name?: NameRule;
  /** The group that its faults are told with, where it is another's (events). */
  readonly faultGroup?: string;
  /** `validate` says all that is required; the types have nothing to add. */
  readonly checksAll?: boolean;
  /** What may not change is told before what is wrong. */
  readonly changesFirst?: boolean;
  /** A delete answers with the object, not with a Status. */
  readonly returnsDeleted?: boolean;
  /** An update must name the resourceVersion it is based on. */
  readonly conditionalUpdate?: boolean;
  /** Its writes evaluate expressions: what reads them is loaded first. */
  readonly expressions?: boolean;
  /** What the type's defaulting fills in; owned by whoever writes the object. */
  defaults?(draft: KubeObject): void;
  /** What admission and the kind's strategy fill in; owned by no one. May refuse by throwing. */
  admitCreate?(draft: KubeObject, context: RuleContext): void;
  admitUpdate?(draft: KubeObject, old: KubeObject, context: RuleContext): void;
  admitStatus?(draft: KubeObject, old: KubeObject, context: RuleContext): void;
  admitDelete?(object: KubeObject): void;
  /** `old`: what it replaces; `warn`: faults that were there before and are let through. */
  validate?(object: KubeObject, old?: KubeObject, warn?: (text: string) => void): FieldError[];
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  /** Of a write through `/status`. */
  validateStatus?(object: KubeObject): FieldError[];
  /** A PUT of what is not there creates it. */
  readonly createOnUpdate?: boolean;
  /** A delete that does not say otherwise leaves the dependents alone. */
  readonly orphansDependents?: boolean;
  /** What is taken, and warned of. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[];
  /** Every answer about it warns of this. */
  readonly deprecated?: string;
  /** What field selectors can ask for beyond name and namespace. */
  fieldLabels?(object: KubeObject): Record<string, string>;
  /** Seconds a delete leaves the object alone; `undefined`: it goes at once. */
  gracePeriod?(object: KubeObject, asked: number | undefined): number;
}

export const ALL_VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
] as const;

/** The key of its objects in the store: the same for all versions. */
export function resourceKey(type: Pick<ResourceType, 'group' | 'plural' | 'store'>): string {
  if (type.store !== undefined) return type.store;
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

export function apiVersionOf(type: Pick<ResourceType, 'group' | 'version'>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}
