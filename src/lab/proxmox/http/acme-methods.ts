import type { MethodSchema, PropertySchema } from '../schema.js';
import { method, perm } from './method.js';

const text = (more: Partial<PropertySchema> = {}): PropertySchema => ({
  type: 'string',
  optional: true,
  ...more,
});
const ID: PropertySchema = { type: 'string', format: 'pve-configid' };
const TYPE = ['dns', 'standalone'];
const NAME = text({ format: 'pve-configid', default: 'default' });
const CONTACT: PropertySchema = { type: 'string', format: 'email-list' };
const DIRECTORY = text({ pattern: '^https?:\\/\\/.*' });

const PLUGIN: Readonly<Record<string, PropertySchema>> = {
  api: text(),
  data: text(),
  disable: { type: 'boolean', optional: true },
  nodes: text({ format: 'pve-node-list' }),
  'validation-delay': { type: 'integer', optional: true, minimum: 0, maximum: 172_800 },
};

const ROOT = '/cluster/acme';
const MODIFY = perm('/', 'Sys.Modify');

/** A method without permissions is for root@pam alone. */
function rootMethod(
  verb: MethodSchema['method'],
  path: string,
  properties: Readonly<Record<string, PropertySchema>>,
): MethodSchema {
  const { permissions: _permissions, ...schema } = method(verb, path, {}, properties);
  return schema;
}

/** Certificates by ACME (pve-manager, PVE/API2/ACMEAccount.pm and ACMEPlugin.pm). */
export const ACME_METHODS: readonly MethodSchema[] = [
  method('GET', ROOT, { user: 'all' }, {}),
  method('GET', `${ROOT}/directories`, { user: 'all' }, {}),
  method('GET', `${ROOT}/tos`, { user: 'all' }, { directory: DIRECTORY }),
  method('GET', `${ROOT}/plugins`, MODIFY, { type: text({ enum: TYPE }) }),
  method('POST', `${ROOT}/plugins`, MODIFY, { id: ID, type: { type: 'string', enum: TYPE }, ...PLUGIN }),
  method('GET', `${ROOT}/plugins/{id}`, MODIFY, { id: ID }),
  method('PUT', `${ROOT}/plugins/{id}`, MODIFY, {
    id: ID,
    ...PLUGIN,
    delete: text({ format: 'pve-configid-list', maxLength: 4096 }),
    digest: text({ maxLength: 64 }),
  }),
  method('DELETE', `${ROOT}/plugins/{id}`, MODIFY, { id: ID }),
  method('GET', `${ROOT}/account`, { user: 'all' }, {}),
  rootMethod('POST', `${ROOT}/account`, {
    name: NAME,
    contact: CONTACT,
    tos_url: text(),
    directory: DIRECTORY,
    'eab-kid': text({ requires: 'eab-hmac-key' }),
    'eab-hmac-key': text({ requires: 'eab-kid' }),
  }),
  rootMethod('GET', `${ROOT}/account/{name}`, { name: NAME }),
  rootMethod('PUT', `${ROOT}/account/{name}`, { name: NAME, contact: { ...CONTACT, optional: true } }),
  rootMethod('DELETE', `${ROOT}/account/{name}`, { name: NAME }),
];
