import type { Random } from '../../lab.js';
import { clone, isObj, listOf, type Obj, objOf, sameJson, textOf } from '../json.js';
import { establishedStatus, isEstablished } from '../kinds/definition.js';
import { metadataErrors } from '../kinds/names.js';
import { Registry } from '../kinds/registry.js';
import { apiVersionOf, type ResourceType, type RuleContext, resourceKey } from '../kinds/resource-type.js';
import { type KubeObject, keyOf, type ManagedFieldsEntry, timeText } from '../object.js';
import { applyConfiguration, ownershipAfterUpdate, type Writer } from '../patch/managed-fields.js';
import { missingFields } from '../schema/required.js';
import {
  alreadyExists,
  badRequest,
  forbidden,
  invalid,
  invalidValue,
  modified,
  notFound,
  preconditionFailed,
} from '../status.js';
import type { ObjectStore } from '../storage/object-store.js';
import { decodeApplied, decodeObject, emptyObject } from './decode.js';
import type { DeleteOptions, WriteOptions } from './options.js';

const NAMES = 'bcdfghjklmnpqrstvwxz2456789';

export interface Target {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  /** `''` or a subresource such as `status`. */
  readonly subresource: string;
}

/** The API server without HTTP: what a request does to the objects. The handlers and the controllers use it. */
export class KubeApi {
  readonly registry: Registry;

  constructor(
    readonly objects: ObjectStore,
    private readonly clock: { now(): number },
    private readonly random: Random,
  ) {
    this.registry = new Registry(objects);
  }

  get now(): number {
    return this.clock.now();
  }

  type(key: string): ResourceType {
    const type = this.registry.byKey(key);
    if (!type) throw new Error(`no resource ${key}`);
    return type;
  }

  find(resource: string, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.objects.get(resource, keyOf(namespace, name));
  }

  get(target: Pick<Target, 'type' | 'namespace' | 'name'>): KubeObject {
    const object = this.find(resourceKey(target.type), target.namespace, target.name);
    if (!object) throw notFound(target.type, target.name);
    return inVersion(object, target.type);
  }

  create(
    type: ResourceType,
    namespace: string | undefined,
    body: unknown,
    options: WriteOptions,
  ): KubeObject {
    const draft = this.#drafted(type, namespace, decodeObject(type, body, options));
    const entries = this.#ownership(type, [], emptyObject(type), draft, '', options);
    return this.#insert(type, draft, entries, options);
  }

  /** PUT: the whole object, or with a subresource the part that is its. */
  update(target: Target, body: unknown, options: WriteOptions): KubeObject {
    const old = this.get(target);
    return this.replace(target, old, decodeObject(target.type, body, options), options);
  }

  /** Writes `wanted` over `old`: the common end of PUT and of the patches. */
  replace(target: Target, old: KubeObject, wanted: KubeObject, options: WriteOptions): KubeObject {
    const { type, name } = target;
    this.#checkIdentity(type, old, wanted, name);
    const draft = this.#carriedOver(target, old, wanted);
    const given = wanted.metadata.managedFields;
    const entries = this.#ownership(
      type,
      given ?? old.metadata.managedFields,
      old,
      draft,
      target.subresource,
      options,
    );
    return this.#store(target, old, draft, entries, options);
  }

  /** Server-side apply; creates what is not there. */
  apply(target: Target, body: Obj, options: WriteOptions): { object: KubeObject; created: boolean } {
    const { type, namespace, name } = target;
    const metadata = objOf(body.metadata);
    if (metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
    this.#checkName(metadata, name, namespace);
    const configuration = decodeApplied(type, body, name);
    const writer = this.#writer(type, target.subresource, options);
    const old = this.find(resourceKey(type), namespace, name);
    const lenient: WriteOptions = { ...options, validation: 'Ignore' };
    if (!old) {
      const { ownership } = applyConfiguration(
        [],
        emptyObject(type),
        configuration,
        type.schema,
        writer,
        true,
      );
      const whole = { ...configuration, metadata: { ...metadata, name } };
      const draft = this.#drafted(type, namespace, decodeObject(type, whole, lenient));
      return { object: this.#insert(type, draft, ownership(draft), options), created: true };
    }
    const live = inVersion(old, type);
    if (
      textOf(metadata.resourceVersion) !== '' &&
      metadata.resourceVersion !== old.metadata.resourceVersion
    ) {
      throw modified(type, name);
    }
    const { object: merged, ownership } = applyConfiguration(
      live.metadata.managedFields,
      live,
      configuration,
      type.schema,
      writer,
      options.force,
    );
    const draft = this.#carriedOver(target, live, decodeObject(type, merged, lenient));
    const { object } = { object: this.#store(target, live, draft, ownership(draft), options) };
    return { object, created: false };
  }

  /** What stays: the object while it winds down or waits for finalizers, or its last state when it is gone. */
  delete(target: Target, options: DeleteOptions): { object: KubeObject; gone: boolean } {
    const { type, name } = target;
    const old = this.get(target);
    this.#checkPreconditions(type, old, options);
    type.rules.admitDelete?.(old);
    if (type.kind === 'Namespace' && type.group === '') return this.#terminateNamespace(type, old, options);
    const grace = type.rules.gracePeriod?.(old, options.gracePeriodSeconds) ?? 0;
    const finalizers = deletionFinalizers(old, options);
    const terminating = old.metadata.deletionTimestamp !== undefined;
    const current = old.metadata.deletionGracePeriodSeconds ?? 0;
    if (terminating && grace >= current && current > 0) return { object: old, gone: false };
    if (terminating && finalizers.length > 0 && current === 0) return { object: old, gone: false };
    const marked = this.#marked(old, grace, finalizers);
    if (options.dryRun) return { object: marked, gone: grace === 0 && finalizers.length === 0 };
    if (grace > 0 || finalizers.length > 0) {
      return { object: this.objects.put(resourceKey(type), marked), gone: false };
    }
    this.objects.remove(resourceKey(type), target.namespace, name);
    return { object: marked, gone: true };
  }

  /** Namespaces end through their spec's finalizers. */
  finalizeNamespace(target: Target, body: unknown, options: WriteOptions): KubeObject {
    const old = this.get(target);
    const wanted = decodeObject(target.type, body, options);
    const finalizers = listOf(objOf(wanted.spec).finalizers);
    const draft: KubeObject = {
      ...old,
      metadata: { ...old.metadata, ...labelsOf(wanted) },
      spec: {
        ...withoutField(objOf(old.spec), 'finalizers'),
        ...(finalizers.length > 0 ? { finalizers } : {}),
      },
    };
    if (wanted.metadata.labels === undefined) delete draft.metadata.labels;
    const key = resourceKey(target.type);
    if (old.metadata.deletionTimestamp && finalizers.length === 0 && !old.metadata.finalizers?.length) {
      this.objects.remove(key, undefined, target.name);
      return draft;
    }
    return this.objects.put(key, draft);
  }

  context(): RuleContext {
    return {
      now: this.now,
      time: timeText(this.now),
      find: (resource, namespace, name) => this.find(resource, namespace, name),
      list: (resource, namespace) => this.objects.list(resource, namespace),
      suffix: () => this.#suffix(),
    };
  }

  #suffix(): string {
    return Array.from({ length: 5 }, () => NAMES[this.random.below(NAMES.length)] ?? 'b').join('');
  }

  #drafted(type: ResourceType, namespace: string | undefined, decoded: KubeObject): KubeObject {
    const given = decoded.metadata;
    if (type.namespaced) {
      if (given.namespace !== undefined && given.namespace !== namespace) {
        throw badRequest(
          'the namespace of the provided object does not match the namespace sent on the request',
        );
      }
      this.#checkNamespace(type, namespace ?? '', given.name);
    }
    const { managedFields: _m, resourceVersion: _v, ...kept } = given;
    const name = given.name || (given.generateName ? `${given.generateName}${this.#suffix()}` : '');
    const draft: KubeObject = {
      ...decoded,
      metadata: {
        ...kept,
        name,
        ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
        uid: this.random.uuid(),
        creationTimestamp: timeText(this.now),
      },
    };
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'] as const) {
      delete draft.metadata[field];
    }
    if (type.rules.generation) draft.metadata.generation = 1;
    if (!type.rules.statusOnCreate && type.subresources.some((sub) => sub.name === 'status'))
      delete draft.status;
    // A default can depend on the name that was only now made.
    if (given.name === '') type.rules.defaults?.(draft);
    return draft;
  }

  #insert(
    type: ResourceType,
    draft: KubeObject,
    entries: ManagedFieldsEntry[],
    options: WriteOptions,
  ): KubeObject {
    type.rules.admitCreate?.(draft, this.context());
    const object = this.#finished(type, draft, entries);
    this.#validate(type, object, undefined);
    if (this.objects.get(resourceKey(type), keyOf(object.metadata.namespace, object.metadata.name))) {
      throw alreadyExists(type, object.metadata.name);
    }
    if (options.dryRun) return object;
    const stored = this.objects.put(resourceKey(type), object);
    if (type.kind === 'CustomResourceDefinition' && !isEstablished(stored)) this.#establish(type, stored);
    return stored;
  }

  /** The API server's own controllers accept the names at once; the answer shows the definition before that. */
  #establish(type: ResourceType, definition: KubeObject): void {
    const status = establishedStatus(definition, timeText(this.now));
    this.objects.put(resourceKey(type), { ...definition, status });
  }

  #checkIdentity(type: ResourceType, old: KubeObject, wanted: KubeObject, name: string): void {
    this.#checkName(wanted.metadata, name, old.metadata.namespace);
    const { uid, resourceVersion } = wanted.metadata;
    if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
      throw preconditionFailed(type, name, why);
    }
    if (!resourceVersion && type.rules.conditionalUpdate) {
      throw invalid(type.group, type.kind, name, [
        invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw modified(type, name);
  }

  #checkName(metadata: Obj | KubeObject['metadata'], name: string, namespace: string | undefined): void {
    const given = textOf(metadata.name);
    if (given !== '' && given !== name) {
      throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
    }
    const space = textOf(metadata.namespace);
    if (space !== '' && namespace !== undefined && space !== namespace) {
      throw badRequest(
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    }
  }

  /** What an update cannot change comes from the old object; a subresource changes its own part only. */
  #carriedOver(target: Target, old: KubeObject, wanted: KubeObject): KubeObject {
    const { type, subresource } = target;
    const fixed = pick(old.metadata, ['name', 'namespace', 'uid', 'creationTimestamp', 'generation']);
    const ending = pick(old.metadata, ['deletionTimestamp', 'deletionGracePeriodSeconds']);
    const { managedFields: _m, resourceVersion: _v, generation: _g, ...given } = wanted.metadata;
    const metadata = { ...given, ...fixed, ...ending };
    const draft: KubeObject =
      subresource === 'status'
        ? { ...old, metadata: type.custom ? { ...old.metadata } : metadata, status: wanted.status }
        : { ...wanted, metadata };
    if (subresource === 'status') type.rules.admitStatus?.(draft, old, this.context());
    else type.rules.admitUpdate?.(draft, old, this.context());
    const form = decodeObject(type, draft, {
      dryRun: false,
      manager: '',
      validation: 'Ignore',
      force: false,
      warnings: [],
    });
    if (type.rules.generation && !sameJson(versionedPart(form), versionedPart(old))) {
      form.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    return form;
  }

  #store(
    target: Target,
    old: KubeObject,
    draft: KubeObject,
    entries: ManagedFieldsEntry[],
    options: WriteOptions,
  ): KubeObject {
    const { type } = target;
    const object = this.#finished(type, draft, entries);
    object.metadata.resourceVersion = textOf(old.metadata.resourceVersion);
    this.#validate(type, object, old);
    // Nothing changed: nothing is written, the resourceVersion stays.
    if (options.dryRun || sameJson(object, old)) return object;
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers } = object.metadata;
    const ended = deletionTimestamp && deletionGracePeriodSeconds === 0 && !finalizers?.length;
    const isNamespace = type.kind === 'Namespace' && type.group === '';
    if (ended && !isNamespace) {
      this.objects.remove(resourceKey(type), object.metadata.namespace, object.metadata.name);
      return object;
    }
    return this.objects.put(resourceKey(type), object);
  }

  #finished(type: ResourceType, draft: KubeObject, entries: ManagedFieldsEntry[]): KubeObject {
    const form = decodeObject(type, draft, {
      dryRun: false,
      manager: '',
      validation: 'Ignore',
      force: false,
      warnings: [],
    });
    return {
      ...form,
      metadata: { ...form.metadata, ...(entries.length > 0 ? { managedFields: clone(entries) } : {}) },
    };
  }

  #validate(type: ResourceType, object: KubeObject, old: KubeObject | undefined): void {
    const errors = metadataErrors(object.metadata, type.rules.name ?? 'subdomain');
    const own = type.rules.validate?.(object) ?? [];
    const changed = old ? (type.rules.validateUpdate?.(object, old) ?? []) : [];
    const reported = new Set([...own, ...changed].map((error) => error.field));
    const missing = type.custom
      ? []
      : missingFields(withoutField({ ...object }, 'status'), type.schema, '').filter(
          (error) => !reported.has(error.field),
        );
    const all = [...errors, ...missing, ...own, ...changed];
    if (all.length > 0) throw invalid(type.group, type.kind, object.metadata.name, all);
  }

  #checkNamespace(type: ResourceType, namespace: string, name: string): void {
    const found = this.find('namespaces', undefined, namespace);
    if (!found) throw notFound(this.type('namespaces'), namespace);
    if (objOf(found.status).phase !== 'Terminating') return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(type, name, why, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  }

  #checkPreconditions(type: ResourceType, old: KubeObject, options: DeleteOptions): void {
    const { name } = old.metadata;
    if (options.uid !== undefined && options.uid !== old.metadata.uid) {
      const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`;
      throw preconditionFailed(type, name, why);
    }
    if (options.resourceVersion !== undefined && options.resourceVersion !== old.metadata.resourceVersion) {
      const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`;
      throw preconditionFailed(type, name, why);
    }
  }

  #terminateNamespace(
    type: ResourceType,
    old: KubeObject,
    options: DeleteOptions,
  ): { object: KubeObject; gone: boolean } {
    if (old.metadata.deletionTimestamp) return { object: old, gone: false };
    const marked: KubeObject = {
      ...old,
      metadata: { ...old.metadata, deletionTimestamp: timeText(this.now) },
      status: { ...objOf(old.status), phase: 'Terminating' },
    };
    return { object: options.dryRun ? marked : this.objects.put(resourceKey(type), marked), gone: false };
  }

  #marked(old: KubeObject, grace: number, finalizers: string[]): KubeObject {
    const { generation, deletionTimestamp } = old.metadata;
    const bumped = generation !== undefined && deletionTimestamp === undefined ? generation + 1 : generation;
    return {
      ...old,
      metadata: {
        ...old.metadata,
        ...(bumped === undefined ? {} : { generation: bumped }),
        ...(finalizers.length > 0 ? { finalizers } : {}),
        deletionTimestamp: timeText(this.now + grace * 1000),
        deletionGracePeriodSeconds: grace,
      },
    };
  }

  #writer(type: ResourceType, subresource: string, options: WriteOptions): Writer {
    return {
      manager: options.manager,
      apiVersion: apiVersionOf(type),
      subresource,
      time: timeText(this.now),
    };
  }

  #ownership(
    type: ResourceType,
    entries: readonly ManagedFieldsEntry[] | undefined,
    before: Obj,
    after: Obj,
    subresource: string,
    options: WriteOptions,
  ): ManagedFieldsEntry[] {
    return ownershipAfterUpdate(
      entries,
      before,
      after,
      type.schema,
      this.#writer(type, subresource, options),
    );
  }
}

/** The same object in another version of its group: definitions without conversion differ in nothing else. */
export function inVersion(object: KubeObject, type: ResourceType): KubeObject {
  const apiVersion = apiVersionOf(type);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function deletionFinalizers(object: KubeObject, options: DeleteOptions): string[] {
  const own = (object.metadata.finalizers ?? []).filter((f) => f !== 'orphan' && f !== 'foregroundDeletion');
  const kept = options.propagationPolicy === undefined ? (object.metadata.finalizers ?? []) : own;
  if (options.propagationPolicy === 'Orphan') return [...kept, 'orphan'];
  return options.propagationPolicy === 'Foreground' ? [...kept, 'foregroundDeletion'] : kept;
}

/** What `metadata.generation` counts: everything but metadata and status. */
function versionedPart(object: KubeObject): Obj {
  const { metadata: _m, status: _s, ...rest } = object;
  return rest;
}

function labelsOf(object: KubeObject): Obj {
  return object.metadata.labels ? { labels: object.metadata.labels } : {};
}

function withoutField(value: Obj, field: string): Obj {
  const { [field]: _, ...rest } = value;
  return rest;
}

function pick<T extends object, K extends keyof T>(value: T, fields: readonly K[]): Pick<T, K> {
  const entries = fields.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]);
  return Object.fromEntries(entries);
}

export function isStatus(body: unknown): boolean {
  return isObj(body) && body.kind === 'Status';
}
