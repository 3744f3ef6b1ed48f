/** What the API's schema says of one option of a VM, and whether a value can stand in its config file. */

import { PveError } from '../../api.js';
import { METHODS } from '../../gen/schema.js';
import type { PropertySchema } from '../../schema.js';
import { formatProblem, propertyOf } from '../../validation/check.js';
import type { Config } from './vm-config.js';

const OPTIONS =
  METHODS.find(({ method, path }) => method === 'POST' && path === '/nodes/{node}/qemu/{vmid}/config')
    ?.parameters.properties ?? {};

export function optionSchema(key: string): PropertySchema | undefined {
  return propertyOf(OPTIONS, key);
}

/** As qemu-server's `check_type` reads a config file: stricter with numbers than the API. */
function unwritable(key: string, value: string): string | undefined {
  if (/[\n\r]/.test(value)) return 'property contains a line feed';
  const schema = optionSchema(key);
  const type = schema?.type;
  const isNumber = type === 'integer' ? /^\d+$/ : type === 'number' ? /^\d+(\.\d+)?$/ : undefined;
  if (isNumber) return isNumber.test(value) ? undefined : `type check ('${type}') failed - got '${value}'`;
  return schema?.format === undefined ? undefined : formatProblem(schema.format, value, '');
}

/** Of the options named, or of all: each must be one that Proxmox VE could read again. */
export function assertWritable(config: Config, keys: readonly string[] = Object.keys(config)): void {
  for (const key of [...keys].sort()) {
    const value = config[key];
    if (value === undefined || key === 'description') continue;
    const problem = unwritable(key, value);
    if (problem !== undefined) {
      throw new PveError(500, `unable to parse value of '${key}' - ${problem.replace(/\n$/, '')}`);
    }
  }
}

/** `02` is the integer 2 in the file, other texts stay as they were sent. */
export function asStored(key: string, value: string): string {
  return optionSchema(key)?.type === 'integer' && /^\d+$/.test(value)
    ? value.replace(/^0+(?=\d)/, '')
    : value;
}
