/** The fleet's CustomResourceDefinitions, as data. `fleet install` and the chart come from here. */
import type { KubernetesObject } from '../../clients/kubernetes/index.js';
import { clusterSpec, clusterStatus } from './cluster-schema.js';
import { AGE, column, condition, type Definition } from './definition.js';
import { GROUP, VERSION } from './group.js';
import { approval, maintenance, plan } from './plan-definitions.js';
import { CONDITIONS, list, record, reference, text, time, whole } from './schema.js';

const site: Definition = {
  kind: 'ProxmoxSite',
  scope: 'Cluster',
  shortNames: ['pxs'],
  description: 'A Proxmox VE cluster, and who may build on it.',
  spec: record(
    'Where it answers and how it is asked.',
    {
      endpoints: list(
        'https://host:port of its hosts.',
        text('One endpoint.', { pattern: '^https://[^/]+$' }),
        32,
      ),
      ca: text('CA certificate, PEM. Without it and without fingerprint: the system’s own.', {
        maxLength: 65536,
      }),
      fingerprint: text('SHA-256 of the certificate, AB:CD:…', {
        pattern: '^([0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2}$',
      }),
      tokenSecretRef: reference('Secret in the controller’s namespace with user@realm!id=secret.', {
        key: text('Its key.', { default: 'token' }),
      }),
      allowedNamespaces: list(
        'Namespaces whose clusters may use it; * for all.',
        text('A namespace.', { maxLength: 63 }),
        256,
      ),
      limits: record(
        'How much is asked of it.',
        {
          concurrentClusters: whole('Clusters that one replica observes at a time.', {
            minimum: 1,
            maximum: 64,
            default: 4,
          }),
          requestsPerSecond: whole('Requests of all replicas together.', {
            minimum: 5,
            maximum: 1000,
            default: 50,
          }),
          disruptiveRuns: whole('Clusters whose nodes are taken away at a time.', {
            minimum: 1,
            maximum: 64,
            default: 1,
          }),
        },
        { default: {} },
      ),
    },
    {
      required: ['endpoints', 'tokenSecretRef', 'allowedNamespaces'],
      rules: [
        { rule: '!(has(self.ca) && has(self.fingerprint))', message: 'give ca or fingerprint, not both' },
      ],
    },
  ),
  status: record('What was found.', {
    conditions: CONDITIONS,
    observedGeneration: whole('Last generation seen.'),
    reachable: { type: 'boolean', description: 'Whether it answered when it was last asked.' },
    version: text('Version of Proxmox VE.', { maxLength: 32 }),
    hosts: list(
      'Its hosts.',
      record('One of them.', {
        name: text('Its name.', { maxLength: 63 }),
        online: { type: 'boolean', description: 'Whether the others see it.' },
        fingerprint: text('SHA-256 of its certificate.', { maxLength: 95 }),
      }),
      64,
    ),
    sameAs: text('The older ProxmoxSite that points at the same Proxmox cluster.', { maxLength: 253 }),
    requestsPerMinute: whole('Requests of all replicas in a minute; at most an hour old.'),
    requestUse: whole('The same as percent of the limit, in tens, always current.'),
    lastProbe: time('When it was last asked; at most an hour older than that.'),
  }),
  columns: [
    column('Endpoint', '.spec.endpoints[0]'),
    condition('Ready', 'Ready'),
    column('Version', '.status.version'),
    column('Use%', '.status.requestUse', 1),
    column('Same as', '.status.sameAs', 1),
    AGE,
  ],
};

const cluster: Definition = {
  kind: 'OxherdCluster',
  scope: 'Namespaced',
  shortNames: ['oxc'],
  description: 'One Talos Linux cluster on Proxmox VE: its oxherd.yaml, and when changes may be made.',
  spec: clusterSpec,
  status: clusterStatus,
  columns: [
    condition('Ready', 'Ready'),
    column('State', '.status.conditions[?(@.type=="Ready")].reason'),
    condition('InSync', 'InSync'),
    condition('Healthy', 'Healthy'),
    column('Impact', '.status.plan.impact'),
    column('Plan', '.status.plan.shortId'),
    column('Kubernetes', '.status.kubernetes', 1),
    column('Talos', '.status.talos', 1),
    column('Window', '.status.nextWindow', 1),
    AGE,
  ],
};

const DEFINITIONS: readonly Definition[] = [site, cluster, plan, approval, maintenance];

/** As objects to apply. */
export function customResourceDefinitions(): KubernetesObject[] {
  return DEFINITIONS.map(definitionOf);
}

function definitionOf(definition: Definition): KubernetesObject {
  const { kind, scope, shortNames, description, spec, status, columns } = definition;
  const plural = `${kind.toLowerCase()}s`;
  const body = {
    group: GROUP,
    scope,
    names: {
      kind,
      listKind: `${kind}List`,
      plural,
      singular: kind.toLowerCase(),
      shortNames,
      categories: ['oxherd'],
    },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description,
            required: ['spec'],
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec,
              status,
            },
          },
        },
      },
    ],
  };
  const metadata = { name: `${plural}.${GROUP}` };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    ...{ spec: body },
  };
}
