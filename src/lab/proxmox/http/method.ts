/** How methods are described that are not in the generated part of the API. */
import { METHODS } from '../gen/schema.js';
import type { MethodPermissions, MethodSchema, PermissionCheck, PropertySchema } from '../schema.js';

export const NODE: PropertySchema = { type: 'string', format: 'pve-node' };

export function method(
  verb: MethodSchema['method'],
  path: string,
  permissions: MethodPermissions,
  properties: Readonly<Record<string, PropertySchema>>,
): MethodSchema {
  const onNode = path.startsWith('/nodes/');
  return {
    method: verb,
    path,
    token: true,
    onNode,
    permissions,
    parameters: { additionalProperties: false, properties: { ...(onNode && { node: NODE }), ...properties } },
  };
}

/** The same method for another kind of thing: what it is found by and who may call it differ, its parameters do not. */
export function like(
  model: string,
  path: string,
  permissions: MethodPermissions,
  found: Readonly<Record<string, PropertySchema>>,
): MethodSchema {
  const [verb = '', place = ''] = model.split(' ');
  const known = METHODS.find((one) => one.method === verb && one.path === place);
  if (!known) throw new Error(`no method ${model}`);
  const { node: _node, vmid: _vmid, ...properties } = known.parameters.properties ?? {};
  return method(known.method, path, permissions, { ...properties, ...found });
}

export const perm = (path: string, ...privileges: string[]): MethodPermissions => ({
  check: ['perm', path, privileges],
});

export const checkOf = (check: PermissionCheck): MethodPermissions => ({ check });
