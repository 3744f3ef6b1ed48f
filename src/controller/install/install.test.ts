import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FLEET_VALUES } from '../../../test/support/fleet/values.js';
import { isMapping } from '../../formats/text/mapping.js';
import { readYamlDocuments } from '../../formats/text/yaml-text.js';
import { customResourceDefinitions } from '../api/definitions.js';
import { deployFiles, documents } from './chart.js';
import { fleetManifests } from './manifests.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** As much of Helm as the chart uses: values, `range` over namespaces, `join`, `required`. */
function rendered(
  text: string,
  values: { namespaces: readonly string[]; [key: string]: unknown },
  namespace: string,
): string {
  const each = (body: string) => values.namespaces.map((one) => body.replaceAll('{{ . }}', one)).join('');
  return text
    .replaceAll(/\{\{- range \.Values\.namespaces \}\}([\s\S]*?)\{\{- end \}\}/g, (_, body: string) =>
      each(body),
    )
    .replaceAll(/\{\{ \$?\.Release\.Namespace \}\}/g, namespace)
    .replaceAll('{{ join `,` .Values.namespaces }}', values.namespaces.join(','))
    .replaceAll(/\{\{ (?:required "[^"]*" )?\.Values\.(\w+) \}\}/g, (_, key: string) => String(values[key]));
}

const identified = (objects: readonly unknown[]) =>
  new Map(
    objects.filter(isMapping).map((object) => {
      const metadata = isMapping(object.metadata) ? object.metadata : {};
      return [`${String(object.kind)} ${String(metadata.namespace ?? '')}/${String(metadata.name)}`, object];
    }),
  );

describe('what is deployed', () => {
  const files = deployFiles(version);

  it('is what `npx tsx scripts/generate-fleet.ts` writes', () => {
    for (const [path, text] of files) expect(readFileSync(`deploy/${path}`, 'utf8'), path).toBe(text);
  });

  it('is the same by chart and by `fleet install`, whatever the values', () => {
    const values = { ...FLEET_VALUES, namespaces: ['team-a', 'team-b'], replicas: 3, namespace: 'fleet' };
    const chart = [
      'chart/crds/oxherd.yaml',
      'chart/templates/controller.yaml',
      'chart/templates/namespaces.yaml',
    ]
      .map((path) => rendered(files.get(path) ?? '', values, values.namespace))
      .join('---\n');
    expect(chart).not.toContain('{{');
    const objects = identified(readYamlDocuments(chart));
    const wanted = identified(JSON.parse(JSON.stringify(fleetManifests(values))));
    // Helm creates the namespace of the release, and the others are the administrator's.
    for (const key of [...wanted.keys()]) if (key.startsWith('Namespace ')) wanted.delete(key);
    expect(Object.fromEntries(objects)).toEqual(Object.fromEntries(wanted));
  });

  it('gives the controller secrets in named namespaces alone, and never list or watch', () => {
    for (const { kind, ...object } of JSON.parse(JSON.stringify(fleetManifests(FLEET_VALUES)))) {
      const { rules = [] }: { rules?: { resources?: string[]; verbs?: string[]; apiGroups?: string[] }[] } =
        object;
      for (const { resources = [], verbs = [], apiGroups = [] } of rules) {
        expect([...resources, ...verbs, ...apiGroups]).not.toContain('*');
        if (!resources.includes('secrets')) continue;
        expect(kind).toBe('Role');
        expect(verbs.filter((verb) => verb !== 'get' && verb !== 'create')).toEqual([]);
      }
    }
  });

  it('runs as no one, on a root file system that cannot be written', () => {
    const text = documents(fleetManifests(FLEET_VALUES));
    for (const line of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
    ])
      expect(text).toContain(line);
  });
});

describe('the definitions', () => {
  /** Every node has a type and says what it is; lists and texts of CEL rules are bounded, as the API server wants. */
  function problems(node: unknown, path: string): string[] {
    if (!isMapping(node)) return [`${path} is no schema`];
    const own = [
      ...(typeof node.type === 'string' ? [] : [`${path} has no type`]),
      ...(node.type === 'array' && typeof node.maxItems !== 'number' ? [`${path} has no maxItems`] : []),
      ...(path.includes('.') && typeof node.description !== 'string' ? [`${path} has no description`] : []),
    ];
    const properties = isMapping(node.properties) ? Object.entries(node.properties) : [];
    const required = Array.isArray(node.required) ? node.required : [];
    return [
      ...own,
      ...required.flatMap((key) =>
        properties.some(([name]) => name === key) ? [] : [`${path} requires ${String(key)}`],
      ),
      ...properties.flatMap(([key, value]) => problems(value, `${path}.${key}`)),
      ...(node.items === undefined ? [] : problems(node.items, `${path}[]`)),
    ];
  }

  it('have structural schemas', () => {
    for (const { metadata, ...object } of JSON.parse(JSON.stringify(customResourceDefinitions()))) {
      const {
        spec,
      }: { spec?: { versions: { schema: { openAPIV3Schema: { properties: Record<string, unknown> } } }[] } } =
        object;
      const { properties } = spec?.versions[0]?.schema.openAPIV3Schema ?? { properties: {} };
      for (const part of ['spec', 'status'])
        expect(problems(properties[part], part), metadata.name).toEqual([]);
    }
  });
});
