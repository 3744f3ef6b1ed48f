import type { Random } from '../../lab.js';
import { podSecurity } from '../admission/pod-security.js';
import { type Attempt, admissionPolicies } from '../admission/policies.js';
import { at, type Obj, objOf, sameJson, textOf } from '../json.js';
import { establishedStatus, isEstablished, terminatingDefinition } from '../kinds/definition.js';
import { Registry } from '../kinds/registry.js';
import { apiVersionOf, type ResourceType, type RuleContext, resourceKey } from '../kinds/resource-type.js';
import { type KubeObject, keyOf, type ManagedFieldsEntry, timeText } from '../object.js';
import { applyConfiguration, beforeFirstApply, type Writer } from '../patch/managed-fields.js';
import { alreadyExists, badRequest, invalid, modified, notFound } from '../status.js';
import type { ObjectStore } from '../storage/object-store.js';
import { decodeApplied, decodeObject, emptyObject } from './decode.js';
import { type Deletion, deleteObject, finalizeNamespace } from './deletion.js';
import { finished, nameSuffix, newDraft, updatedDraft } from './draft.js';
import { checkIdentity, checkName, checkNew, checkUid, unknownUid, unnamed } from './identity.js';
import { type DeleteOptions, internalWrite, type WriteOptions } from './options.js';
import { firstOwners, nextOwners, writerOf } from './ownership.js';
import { validateObject } from './validation.js';

const PODS_STAY =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

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

  has({ type, namespace, name }: Target): boolean {
    return this.find(resourceKey(type), namespace, name) !== undefined;
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
    const decoded = decodeObject(type, body, options);
    checkNew(decoded);
    const draft = newDraft(this.#drafting(), type, namespace, decoded);
    const entries = this.ownersOf(type, draft, '', options);
    return this.#insert(type, draft, entries, options);
  }

  /** PUT: the whole object, or with a subresource the part that is its. */
  update(target: Target, body: unknown, options: WriteOptions): KubeObject {
    const old = this.get(target);
    return this.replace(target, old, decodeObject(target.type, body, options), options);
  }

  /** Writes `wanted` over `old`: the common end of PUT and of the patches. */
  replace(
    target: Target,
    old: KubeObject,
    wanted: KubeObject,
    options: WriteOptions,
    patched = false,
  ): KubeObject {
    const { type, name } = target;
    if (options.user && wanted.metadata.name === '') throw unnamed(name);
    checkIdentity(type, old, wanted, name, patched);
    const draft = updatedDraft(this.context(options), target, old, wanted);
    const writer = this.#writer(type, target.subresource, options);
    const entries = nextOwners(type, [old, draft], wanted.metadata.managedFields, writer, options);
    return this.#store(target, old, draft, entries, options);
  }

  /** Server-side apply; creates what is not there. */
  apply(target: Target, body: Obj, options: WriteOptions): { object: KubeObject; created: boolean } {
    const { type, namespace, name } = target;
    const metadata = objOf(body.metadata);
    if (metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
    checkName(metadata, name, namespace);
    const configuration = decodeApplied(type, body, name);
    const writer = this.#writer(type, target.subresource, options);
    const old = this.find(resourceKey(type), namespace, name);
    const lenient: WriteOptions = { ...options, validation: 'Ignore' };
    if (!old) {
      const uid = textOf(metadata.uid);
      if (uid !== '') throw unknownUid(type, name, uid);
      const { ownership } = applyConfiguration(
        [],
        emptyObject(type),
        configuration,
        type.schema,
        writer,
        true,
      );
      const whole = { ...configuration, metadata: { ...metadata, name } };
      const draft = newDraft(this.#drafting(), type, namespace, decodeObject(type, whole, lenient));
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
      live.metadata.managedFields ?? beforeFirstApply(live, type),
      live,
      configuration,
      type.schema,
      writer,
      options.force,
    );
    const wanted = decodeObject(type, merged, lenient);
    checkUid(type, live, wanted);
    const draft = updatedDraft(this.context(options), target, live, wanted);
    return { object: this.#store(target, live, draft, ownership(draft), options), created: false };
  }

  /** What stays: the object while it winds down or waits for finalizers, or its last state when it is gone. */
  delete(target: Target, options: DeleteOptions, by?: WriteOptions): Deletion {
    const old = this.get(target);
    if (by) {
      const { type, subresource } = target;
      this.#judge({ type, operation: 'DELETE', subresource, object: undefined, old }, by);
      if (type.kind === 'Job' && options.propagationPolicy === undefined) by.warnings.push(PODS_STAY);
    }
    const deletion = deleteObject(this, target.type, old, options);
    if (!deletion.gone || target.type.kind !== 'CustomResourceDefinition') return deletion;
    if (!options.dryRun) this.#forgetKind(old);
    // It is shown as it waits for the objects of its kind, and is gone as soon as they are.
    return { object: terminatingDefinition(deletion.object, timeText(this.now)), gone: false };
  }

  /** With a definition go the objects of its kind. */
  #forgetKind(definition: KubeObject): void {
    for (const { metadata } of this.objects.list(definition.metadata.name)) {
      this.objects.remove(definition.metadata.name, metadata.namespace, metadata.name);
    }
  }

  /** Namespaces end through their spec's finalizers. */
  finalizeNamespace(target: Target, body: unknown, options: WriteOptions): KubeObject {
    const old = this.get(target);
    const wanted = decodeObject(target.type, body, options);
    checkIdentity(target.type, old, wanted, target.name, false);
    const writer = this.#writer(target.type, target.subresource, options);
    return finalizeNamespace(this, old, wanted, (draft) =>
      nextOwners(target.type, [old, draft], undefined, writer, options),
    );
  }

  /** Who owns what of an object that is answered and not kept. */
  ownersOf(
    type: ResourceType,
    object: Obj,
    subresource: string,
    options: WriteOptions,
  ): ManagedFieldsEntry[] {
    return firstOwners(type, object, this.#writer(type, subresource, options));
  }

  context(options?: WriteOptions): RuleContext {
    return {
      ...(options?.user ? { user: options.user } : {}),
      warn: (text) => options?.warnings.push(text),
      now: this.now,
      time: timeText(this.now),
      find: (resource, namespace, name) => this.find(resource, namespace, name),
      list: (resource, namespace) => this.objects.list(resource, namespace),
      suffix: () => nameSuffix(this.random),
    };
  }

  /** Validating admission: what other rules of the cluster say of a valid write. */
  #judge(attempt: Omit<Attempt, 'dryRun'>, options: WriteOptions): void {
    const context = this.context(options);
    const { type, object, old, subresource } = attempt;
    if (object && subresource === '') podSecurity(type, object, old, context);
    admissionPolicies({ ...attempt, dryRun: options.dryRun }, context);
  }

  #drafting() {
    return { random: this.random, now: this.now, find: this.context().find };
  }

  #insert(
    type: ResourceType,
    draft: KubeObject,
    entries: ManagedFieldsEntry[],
    options: WriteOptions,
  ): KubeObject {
    type.rules.admitCreate?.(draft, this.context(options));
    const object = finished(type, draft, entries);
    validateObject(type, object, undefined);
    options.warnings.push(...(type.rules.warnings?.(object, undefined) ?? []));
    this.#judge({ type, operation: 'CREATE', subresource: '', object, old: undefined }, options);
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
    const group = at(definition, 'spec', 'group');
    const others = this.objects
      .list(resourceKey(type))
      .filter((other) => other !== definition && at(other, 'spec', 'group') === group);
    const status = establishedStatus(definition, others, timeText(this.now));
    const accepted = { ...definition, status };
    const writer = writerOf(type, 'status', 'kube-apiserver', this.now);
    const managedFields = nextOwners(type, [definition, accepted], undefined, writer, internalWrite(''));
    const metadata = { ...accepted.metadata, managedFields };
    this.objects.put(resourceKey(type), { ...accepted, metadata });
  }

  #store(
    target: Target,
    old: KubeObject,
    draft: KubeObject,
    entries: ManagedFieldsEntry[],
    options: WriteOptions,
  ): KubeObject {
    const { type } = target;
    const object = finished(type, draft, entries);
    object.metadata.resourceVersion = textOf(old.metadata.resourceVersion);
    const { subresource } = target;
    validateObject(type, object, old, (text) => options.warnings.push(text), subresource);
    const faults = subresource === 'status' ? (type.rules.validateStatus?.(object) ?? []) : [];
    if (faults.length > 0) throw invalid(type.group, type.kind, object.metadata.name, faults);
    if (subresource === '') options.warnings.push(...(type.rules.warnings?.(object, old) ?? []));
    this.#judge({ type, operation: 'UPDATE', subresource, object, old }, options);
    // Nothing changed: nothing is written, the resourceVersion stays.
    if (options.dryRun || sameJson(object, old)) return object;
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers } = object.metadata;
    const ended = deletionTimestamp && deletionGracePeriodSeconds === 0 && !finalizers?.length;
    const isNamespace = type.kind === 'Namespace' && type.group === '';
    if (ended && !isNamespace) {
      this.objects.remove(resourceKey(type), object.metadata.namespace, object.metadata.name);
      return object;
    }
    const stored = this.objects.put(resourceKey(type), object);
    // New names are accepted as those of a new definition are; the answer shows it before that.
    const named = sameJson(at(object, 'spec', 'names'), at(object, 'status', 'acceptedNames'));
    if (subresource === '' && type.kind === 'CustomResourceDefinition' && !named)
      this.#establish(type, stored);
    return stored;
  }

  #writer(type: ResourceType, subresource: string, { manager }: WriteOptions): Writer {
    return writerOf(type, subresource, manager, this.now);
  }
}

/** The same object in another version of its group: kinds without conversion differ in nothing else. */
export function inVersion(object: KubeObject, type: ResourceType): KubeObject {
  const apiVersion = apiVersionOf(type);
  if (object.apiVersion === apiVersion) return object;
  return type.convert ? type.convert(object) : { ...object, apiVersion };
}
