/** The Helm chart as files: written by scripts/generate-fleet.ts, from the objects of `fleet install`. */
import { stringify } from 'yaml';
import type { KubernetesObject } from '../../clients/kubernetes/index.js';
import { customResourceDefinitions } from '../api/definitions.js';
import { sharedManifests } from './manifests.js';
import { IMAGE_EXAMPLE, PINNED_IMAGE } from './pinned-image.js';
import { namespaceAccess } from './rbac.js';

/** Path below `deploy/` → text. */
export function deployFiles(version: string): ReadonlyMap<string, string> {
  const chart = (name: string) => `chart/${name}`;
  return new Map([
    [chart('Chart.yaml'), chartYaml(version)],
    [chart('values.yaml'), VALUES],
    [chart('values.schema.json'), `${JSON.stringify(VALUES_SCHEMA, null, 2)}\n`],
    [chart('crds/oxherd.yaml'), documents(customResourceDefinitions())],
    [chart('templates/controller.yaml'), template(sharedManifests(TEMPLATE_VALUES))],
    [chart('templates/namespaces.yaml'), namespacesTemplate()],
  ]);
}

/** Go templates stand where values stand; `unquoted` takes them out of YAML's quotes where a number is meant. */
const TEMPLATE_VALUES = {
  namespace: '{{ .Release.Namespace }}',
  namespaceList: '{{ join `,` .Values.namespaces }}',
  // A schema can refuse a wrong image, but only a template can say what to give where there is none.
  image: `{{ required "image is missing, and there is no default: --set image=${IMAGE_EXAMPLE}" .Values.image }}`,
  replicas: '{{ .Values.replicas }}',
  leaseDuration: '{{ .Values.leaseDuration }}',
};

function template(objects: readonly KubernetesObject[]): string {
  return documents(objects).replaceAll(/^(\s*replicas: )["'](\{\{.*\}\})["']$/gm, '$1$2');
}

function namespacesTemplate(): string {
  const each = template(namespaceAccess('{{ . }}', '{{ $.Release.Namespace }}'));
  return `{{- range .Values.namespaces }}\n---\n${each}{{- end }}\n`;
}

export function documents(objects: readonly KubernetesObject[]): string {
  return objects
    .map((object) => stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
}

function chartYaml(version: string): string {
  return stringify({
    apiVersion: 'v2',
    name: 'oxherd',
    description: 'Fleet controller: Talos Linux clusters on Proxmox VE, planned, approved and applied',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.30.0-0',
  });
}

const VALUES = `# Namespaces with OxherdClusters. They must exist. The controller reads secrets in these and in its own alone.
namespaces: [oxherd-clusters]
# The controller's image, by its digest. There is no default: it reads the tokens of all sites.
# image: ${IMAGE_EXAMPLE}
# All are active: each takes its share of the clusters.
replicas: 2
# A replica that is silent for so long has lost its leases.
leaseDuration: 15s
`;

const VALUES_SCHEMA = {
  $schema: 'https://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: false,
  required: ['namespaces', 'replicas', 'leaseDuration'],
  properties: {
    namespaces: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' },
    },
    image: { type: 'string', pattern: PINNED_IMAGE },
    replicas: { type: 'integer', minimum: 1, maximum: 9 },
    leaseDuration: { type: 'string', pattern: '^([5-9]|[1-9][0-9]+)s$' },
    global: { type: 'object' },
  },
};
