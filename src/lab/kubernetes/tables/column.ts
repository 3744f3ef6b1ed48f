import type { KubeObject } from '../object.js';

export interface TableColumn {
  readonly name: string;
  /** `name` of what can be asked for by it; the Name column has it anyway. */
  readonly format?: string;
  /** `string` unless told. */
  readonly type?: string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
  readonly cell: (object: KubeObject, now: number) => unknown;
}

export const NAME: TableColumn = { name: 'Name', cell: (object) => object.metadata.name };
