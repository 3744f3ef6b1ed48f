import { isObj, type Obj, objOf } from '../json.js';
import type { Registry } from '../kinds/registry.js';
import { apiVersionOf, type ResourceType } from '../kinds/resource-type.js';
import { builtInSchema } from '../schema/built-in.js';
import { retainsKeys } from '../schema/field-facts.js';
import type { FieldSchema, ScalarType, Schema, StructSchema } from '../schema/schema.js';

const FIELD_VALIDATION = {
  name: 'fieldValidation',
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
};

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';

/** Scalars that have a name of their own in the documents. */
const NAMED: Partial<Record<ScalarType, { readonly name: string; readonly schema: Obj }>> = {
  quantity: { name: QUANTITY, schema: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  'int-or-string': {
    name: INT_OR_STRING,
    schema: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  time: { name: `${META}.Time`, schema: { type: 'string', format: 'date-time' } },
  'micro-time': { name: `${META}.MicroTime`, schema: { type: 'string', format: 'date-time' } },
};

const PLAIN: Partial<Record<ScalarType, Obj>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  duration: { type: 'string' },
};

/** One group and version with the fields of its kinds, as OpenAPI v3: what `kubectl explain` and `apply` read. */
export function openApiDocument(registry: Registry, group: string, version: string): object {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const types = registry.in(group, version);
  const paths = types.map((type) => {
    const place = type.namespaced ? 'namespaces/{namespace}/' : '';
    const gvk = { group, version, kind: type.kind };
    const operation = (action: string) => ({
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': gvk,
      parameters: [FIELD_VALIDATION],
      responses: { 200: { description: 'OK' } },
    });
    return [
      `${root}/${place}${type.plural}/{name}`,
      { get: operation('get'), put: operation('put'), patch: operation('patch') },
    ];
  });
  const schemas = new Schemas(version);
  for (const type of types) schemas.addKind(type);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: apiVersionOf({ group, version }) },
    paths: Object.fromEntries(paths),
    components: { schemas: schemas.all },
  };
}

class Schemas {
  readonly all: Record<string, Obj> = {};

  constructor(private readonly version: string) {}

  addKind(type: ResourceType): void {
    const gvk = { group: type.group, version: type.version, kind: type.kind };
    const marked = { 'x-kubernetes-group-version-kind': [gvk] };
    if (type.custom) {
      const name = [...type.group.split('.').reverse(), type.version, type.kind].join('.');
      this.all[name] = { ...this.#custom(type.custom.openApi), ...marked };
      return;
    }
    const name = this.#struct(type.schema);
    this.all[name] = { ...this.all[name], ...marked };
  }

  /** What every object has beside what its definition says. */
  #custom(openApi: Obj): Obj {
    return {
      type: 'object',
      ...openApi,
      properties: {
        ...objOf(openApi.properties),
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: reference(this.#struct(builtInSchema('meta.ObjectMeta'))),
      },
    };
  }

  #struct(schema: StructSchema): string {
    const [module = '', kind = ''] = schema.id.split('.');
    const name =
      module === 'meta' ? `${META}.${kind}` : `io.k8s.api.${module.toLowerCase()}.${this.version}.${kind}`;
    if (this.all[name]) return name;
    const properties: Obj = {};
    const required: string[] = [];
    // Known before its fields: types can hold themselves.
    this.all[name] = { type: 'object', properties };
    for (const [field, of] of schema.fields) {
      properties[field] = this.#field(of, retainsKeys(schema.id, field));
      if (of.required) required.push(field);
    }
    this.all[name] = {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
    return name;
  }

  #field({ schema }: FieldSchema, retains: boolean): Obj {
    const shown = this.#schema(schema);
    const merges = schema.kind === 'list' && (schema.mergeKey !== undefined || schema.mergeSet);
    const strategy = [merges ? 'merge' : '', retains ? 'retainKeys' : ''].filter(Boolean).join(',');
    return {
      ...shown,
      ...(schema.kind === 'list' && schema.mergeKey !== undefined
        ? { 'x-kubernetes-patch-merge-key': schema.mergeKey }
        : {}),
      ...(strategy === '' ? {} : { 'x-kubernetes-patch-strategy': strategy }),
    };
  }

  #schema(schema: Schema): Obj {
    switch (schema.kind) {
      case 'scalar': {
        const named = NAMED[schema.type];
        if (!named) return PLAIN[schema.type] ?? {};
        this.all[named.name] = named.schema;
        return reference(named.name);
      }
      case 'struct':
        return reference(this.#struct(schema));
      case 'map':
        return { type: 'object', additionalProperties: this.#schema(schema.of) };
      case 'list':
        return {
          type: 'array',
          items: this.#schema(schema.of),
          ...(schema.keys.length > 0
            ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': schema.keys }
            : { 'x-kubernetes-list-type': schema.set ? 'set' : 'atomic' }),
        };
      default:
        return { type: 'object' };
    }
  }
}

const reference = (name: string): Obj => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });

/** What of a group's kinds can change while the server runs: the schemas of custom ones. */
export function contentOf(types: readonly ResourceType[]): string {
  return types
    .map((type) =>
      isObj(type.custom?.openApi) ? `${type.kind}${JSON.stringify(type.custom.openApi)}` : type.kind,
    )
    .join(',');
}
