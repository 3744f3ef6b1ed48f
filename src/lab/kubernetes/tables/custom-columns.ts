import { isObj } from '../json.js';
import type { PrinterColumn } from '../kinds/resource-type.js';
import { NAME, type TableColumn } from './column.js';
import { age } from './duration.js';

/** The columns a CustomResourceDefinition asks for. */
export function customColumns(columns: readonly PrinterColumn[]): TableColumn[] {
  return [
    NAME,
    ...columns.map((column) => ({
      name: column.name,
      type: column.type === 'date' ? 'date' : column.type,
      wide: (column.priority ?? 0) > 0,
      cell: (object: unknown, now: number) => {
        const value = jsonPath(object, column.jsonPath);
        if (value === undefined) return null;
        return column.type === 'date' ? age(value, now) : value;
      },
    })),
  ];
}

/** `.a.b[0].c` and `.conditions[?(@.type=="Ready")].status`: what printer columns use. */
function jsonPath(value: unknown, path: string): unknown {
  let found: unknown[] = [value];
  for (const [, field, index, key, wanted] of path.matchAll(STEP)) {
    found = found.flatMap((item): unknown[] => {
      if (field !== undefined) return isObj(item) && item[field] !== undefined ? [item[field]] : [];
      if (!Array.isArray(item)) return [];
      if (index === '*') return item;
      if (index !== undefined) return item.slice(Number(index), Number(index) + 1);
      return item.filter((element) => isObj(element) && key !== undefined && element[key] === wanted);
    });
  }
  return found[0];
}

const STEP = /\.([\w$-]+)|\[(\d+|\*)\]|\[\?\(@\.([\w-]+)\s*==\s*["']([^"']*)["']\)\]/g;
