/** The JSON Schema of oxherd.yaml, for editors and docs/config.md. */
import { z } from 'zod';
import { fileSchema } from '../schema/file.js';

/** As much of JSON Schema as editors and our own pages read. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly $id?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly additionalProperties?: boolean | JsonSchema;
}

/** Names the schema where several are loaded; no address to fetch it from. */
const ID = 'urn:oxherd:config';

export function configJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(fileSchema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // zod drops `default` and `examples` from the input side of values that it transforms.
      const { byDefault, example, ...rest } = jsonSchema;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, rest, {
        ...(byDefault !== undefined && { default: byDefault }),
        ...(example !== undefined && { examples: [example] }),
      });
      // Says nothing: every key of a YAML mapping is text.
      delete jsonSchema.propertyNames;
    },
  });
  const { $schema, ...rest } = schema;
  return {
    $schema,
    $id: ID,
    title: 'oxherd.yaml',
    description: 'A Talos Linux Kubernetes cluster on Proxmox VE.',
    ...rest,
  } as JsonSchema;
}
