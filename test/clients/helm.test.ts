/** The daily commands of helm on a served lab: releases of a usual chart, of one with its own kinds, and its tests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missing, type ServedCluster, serveCluster } from './served-cluster.js';

const skipped = await missing('helm', 'version', '--short');

const WIDGETS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.demo.example.org }
spec:
  group: demo.example.org
  scope: Namespaced
  names: { kind: Widget, plural: widgets, singular: widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer, minimum: 1 } } } }
`;
const WIDGET = `apiVersion: demo.example.org/v1
kind: Widget
metadata: { name: {{ .Release.Name }} }
spec: { size: {{ .Values.size }} }
`;

/** Command, exit code, and what it prints. In order: later ones stand on what earlier ones did. */
const COMMANDS: readonly [command: string, exit: number, shape: RegExp][] = [
  ['install web ./usual --wait --timeout 60s', 0, /STATUS: deployed\nREVISION: 1\n/],
  ['install web ./usual', 1, /INSTALLATION FAILED: cannot re-use a name that is still in use/],
  ['list', 0, /^NAME\s+NAMESPACE\s+REVISION[\s\S]*\nweb\s+default\s+1\s.*\sdeployed\s+usual-0\.1\.0/],
  ['test web', 0, /TEST SUITE:\s+web-usual-test-connection[\s\S]*Phase:\s+Succeeded/],
  [
    'upgrade web ./usual --dry-run=server --set replicaCount=3',
    0,
    /STATUS: pending-upgrade[\s\S]*replicas: 3/,
  ],
  ['upgrade web ./usual --set replicaCount=2 --wait --timeout 60s', 0, /STATUS: deployed\nREVISION: 2\n/],
  ['get values web', 0, /^USER-SUPPLIED VALUES:\nreplicaCount: 2\n/],
  ['get manifest web', 0, /kind: Deployment[\s\S]*replicas: 2/],
  ['rollback web 1 --wait --timeout 60s', 0, /^Rollback was a success!/],
  ['history web', 0, /\n1\s.*superseded.*\n2\s.*superseded.*\n3\s.*deployed.*Rollback to 1/],
  [
    'upgrade web ./usual --atomic --set autoscaling.enabled=true --set ingress.enabled=true',
    0,
    /REVISION: 4\n/,
  ],
  ['status web', 0, /^NAME: web\n[\s\S]*STATUS: deployed\nREVISION: 4\n/],
  ['uninstall web --wait --timeout 60s', 0, /^release "web" uninstalled\n$/],
  ['status web', 1, /^Error: release: not found\n$/],
  ['install kinds ./kinds', 0, /STATUS: deployed/],
  [
    'upgrade kinds ./kinds --set size=-1',
    1,
    /UPGRADE FAILED[\s\S]*spec\.size[\s\S]*greater than or equal to 1/,
  ],
  ['rollback kinds 1', 0, /^Rollback was a success!/],
  ['uninstall kinds', 0, /^release "kinds" uninstalled\n$/],
];

describe.skipIf(skipped !== '')(`helm${skipped}`, () => {
  let cluster: ServedCluster;
  beforeAll(async () => {
    cluster = await serveCluster();
    await cluster.run('helm', ['create', 'usual']);
    const kinds = join(cluster.path, 'kinds');
    for (const folder of ['crds', 'templates']) mkdirSync(join(kinds, folder), { recursive: true });
    writeFileSync(join(kinds, 'Chart.yaml'), 'apiVersion: v2\nname: kinds\nversion: 0.1.0\n');
    writeFileSync(join(kinds, 'values.yaml'), 'size: 3\n');
    writeFileSync(join(kinds, 'crds', 'widgets.yaml'), WIDGETS);
    writeFileSync(join(kinds, 'templates', 'widget.yaml'), WIDGET);
  }, 240_000);
  afterAll(() => cluster?.close());

  it.each(COMMANDS)('%s', async (command, exit, shape) => {
    const result = await cluster.run('helm', command.split(' '));
    const told = result.stdout + result.stderr;
    expect(result.exit, told).toBe(exit);
    expect(told).toMatch(shape);
  });
});
