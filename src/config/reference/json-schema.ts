/** The JSON Schema of oxherd.yaml, for editors and docs/config.md. */
import { z } from 'zod';
import { fileSchema } from '../schema/file.js';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

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
    title: 'oxherd.yaml',
    description: 'A Talos Linux Kubernetes cluster on Proxmox VE.',
    ...rest,
  } as JsonSchema;
}
