import type { Config } from '../../../../src/config/config.js';
import type { Patch } from './module-file.js';

export interface Row {
  /** As in the module's documentation. */
  readonly row: string;
  /** What holds when the key is absent; `required` where the module asks for it. */
  readonly byDefault: unknown;
  readonly given: Patch;
  readonly meant: unknown;
  readonly read: (config: Config) => unknown;
  /** What is always there, so that the default can be seen. */
  readonly always?: Patch;
}

export const required = Symbol('required');
