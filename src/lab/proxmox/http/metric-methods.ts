import type { MethodSchema, PropertySchema } from '../schema.js';
import { method, perm } from './method.js';

const text = (more: Partial<PropertySchema> = {}): PropertySchema => ({
  type: 'string',
  optional: true,
  ...more,
});
const number = (minimum: number, maximum?: number): PropertySchema => ({
  type: 'integer',
  optional: true,
  minimum,
  ...(maximum !== undefined && { maximum }),
});
const FLAG: PropertySchema = { type: 'boolean', optional: true };
const ID: PropertySchema = { type: 'string', format: 'pve-configid' };
const LARGEST_PORT = 65_536;

const PROPERTIES: Readonly<Record<string, PropertySchema>> = {
  'api-path-prefix': text(),
  bucket: text(),
  disable: FLAG,
  influxdbproto: text({ enum: ['udp', 'http', 'https'] }),
  'max-body-size': number(1),
  mtu: number(512, LARGEST_PORT),
  organization: text(),
  'otel-compression': text({ enum: ['none', 'gzip'] }),
  'otel-headers': text({ maxLength: 1024 }),
  'otel-max-body-size': number(1024),
  'otel-path': text(),
  'otel-protocol': text({ enum: ['http', 'https'] }),
  'otel-resource-attributes': text({ maxLength: 1024 }),
  'otel-timeout': number(1, 10),
  'otel-verify-ssl': FLAG,
  path: text(),
  port: { type: 'integer', minimum: 1, maximum: LARGEST_PORT },
  proto: text({ enum: ['udp', 'tcp'] }),
  server: { type: 'string', format: 'address' },
  timeout: number(0),
  token: text(),
  'verify-certificate': FLAG,
};

const PATH = '/cluster/metrics/server';
const AUDIT = perm('/', 'Sys.Audit');
const MODIFY = perm('/', 'Sys.Modify');

/** Metric servers (pve-manager, PVE/API2/Cluster/MetricServer.pm). */
export const METRIC_METHODS: readonly MethodSchema[] = [
  method('GET', '/cluster/metrics', { user: 'all' }, {}),
  method('GET', PATH, AUDIT, {}),
  method('GET', `${PATH}/{id}`, AUDIT, { id: ID }),
  method('POST', `${PATH}/{id}`, MODIFY, {
    id: ID,
    type: { type: 'string', enum: ['graphite', 'influxdb', 'opentelemetry'], format: 'pve-configid' },
    ...PROPERTIES,
  }),
  method('PUT', `${PATH}/{id}`, MODIFY, {
    id: ID,
    ...PROPERTIES,
    delete: text({ format: 'pve-configid-list', maxLength: 4096 }),
    digest: text({ maxLength: 64 }),
  }),
  method('DELETE', `${PATH}/{id}`, MODIFY, { id: ID }),
];
