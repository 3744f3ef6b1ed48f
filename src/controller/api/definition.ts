/** What a kind of the fleet is made of. */
import type { SchemaNode } from './schema.js';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean';
  readonly jsonPath: string;
  readonly priority?: number;
}

export interface Definition {
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: SchemaNode;
  readonly status: SchemaNode;
  readonly columns: readonly Column[];
}

export const AGE: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

export function column(name: string, jsonPath: string, priority = 0): Column {
  return { name, type: 'string', jsonPath, ...(priority > 0 && { priority }) };
}

export function condition(name: string, type: string, priority = 0): Column {
  return column(name, `.status.conditions[?(@.type=="${type}")].status`, priority);
}
