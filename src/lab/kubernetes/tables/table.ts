import type { ResourceType } from '../kinds/resource-type.js';
import { type KubeObject, metadataOnly } from '../object.js';
import { badRequest } from '../status.js';
import type { TableColumn } from './column.js';
import { columnsOf } from './columns.js';
import { customColumns } from './custom-columns.js';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** `kubectl get` prints what the server puts into a Table. */
export function tableOf(
  type: ResourceType,
  objects: readonly KubeObject[],
  metadata: object,
  includeObject: string,
  now: number,
): Record<string, unknown> {
  if (!['', 'Metadata', 'Object', 'None'].includes(includeObject)) {
    const why = `includeObject: Invalid value: "${includeObject}": must be 'Metadata', 'Object', 'None', or empty`;
    throw badRequest(`Unable to convert to Table as requested: ${why}`);
  }
  const columns = type.custom ? customColumns(type.custom.printerColumns) : columnsOf(type);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: columns.map(definition),
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, now)),
      object: shown(object, includeObject),
    })),
  };
}

function definition(column: TableColumn): Column {
  return {
    name: column.name,
    type: column.type ?? 'string',
    format: column.format ?? (column.name === 'Name' ? 'name' : ''),
    description: '',
    priority: column.wide ? 1 : 0,
  };
}

function shown(object: KubeObject, includeObject: string): unknown {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : metadataOnly(object);
}
