import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { isMapping } from '../../formats/text/mapping.js';
import type { Observed } from '../../observe/observed.js';
import { newObservation, redactedObservation } from './observation.js';

const PLANTED = 'planted-s3cr3t';

function withObject(resource: string, object: Record<string, unknown>) {
  const metadata = { name: 'app', namespace: 'default' };
  const whole = { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...object };
  const known = { known: true as const, value: { live: whole } };
  const kubernetes = partOf<NonNullable<Observed['kubernetes']>>({ objects: { app: known } });
  return newObservation({
    cluster: 'c',
    at: 0,
    observed: partOf<Observed>({ kubernetes }),
    machines: {},
    objects: { [resource]: [whole] },
    clientFiles: true,
    secrets: true,
  });
}

const container = (more: Record<string, unknown>) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  spec: { template: { spec: { containers: [{ name: 'app', image: 'app:1', ...more }] } } },
});

describe('a saved observation', () => {
  it.each([
    ['data of a config map', { data: { key: PLANTED } }],
    ['an environment variable', container({ env: [{ name: 'PASSWORD', value: PLANTED }] })],
    ['an argument', container({ args: [`--token=${PLANTED}`] })],
    [
      'what kubectl applied last',
      {
        metadata: {
          name: 'app',
          annotations: { 'kubectl.kubernetes.io/last-applied-configuration': PLANTED },
        },
      },
    ],
    [
      'a custom resource',
      { apiVersion: 'db.example.org/v1', kind: 'Database', spec: { admin: { word: PLANTED } } },
    ],
  ])('leaves out %s, wherever the object stands', (_, object) => {
    const saved = JSON.stringify(redactedObservation(withObject('things', object)));
    expect(saved).not.toContain(PLANTED);
    expect(saved).toContain('"name":"app"');
  });

  it.each([
    `clusters:\n- url: u\n  token_id: "a@pve!csi"\n  token_secret: "${PLANTED}"\n`,
    `clusters:\n- token_id: a@pve!csi\n  "token_secret": "${PLANTED}"\n`,
    `# ${PLANTED}\nclusters:\n- token_id: 'a@pve!csi'\n  token_secret: |\n    x\n    ${PLANTED}\n`,
  ])('keeps the name of the token of the CSI driver alone: %j', (config) => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const data = { 'config.yaml': base64(config), other: base64(PLANTED) };
    const kept = (name: string, namespace: string) => {
      const secret = { kind: 'Secret', metadata: { name, namespace }, data };
      return redactedObservation(withObject('secrets', secret)).objects.secrets?.[0]?.data;
    };
    const driver = kept('proxmox-csi-plugin', 'csi-proxmox');
    const [stored = ''] = isMapping(driver) ? [driver['config.yaml']] : [];
    const text = Buffer.from(String(stored), 'base64').toString();
    expect(text).toContain('a@pve!csi');
    expect(text).not.toContain(PLANTED);
    expect(driver).toMatchObject({ other: '' });
    expect(kept('kubeconfig', 'default')).toEqual({ 'config.yaml': '', other: '' });
  });

  it('keeps revisions of daemon and stateful sets, and none of other controllers', () => {
    const revision = (kind: string) => {
      const metadata = { name: 'r', ownerReferences: [{ kind, uid: 'u' }] };
      const data = { spec: { template: { spec: { containers: [{ name: 'c', args: [PLANTED] }] } } } };
      const object = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data };
      return JSON.stringify(redactedObservation(withObject('controllerrevisions.apps', object)).objects);
    };
    expect(revision('DaemonSet')).toContain('containers');
    expect(revision('VirtualMachine')).not.toContain('containers');
    for (const kind of ['DaemonSet', 'VirtualMachine']) expect(revision(kind)).not.toContain(PLANTED);
  });

  it('keeps what a twin needs of a pod and of a custom resource', () => {
    const { objects } = redactedObservation(withObject('deployments.apps', container({})));
    expect(objects['deployments.apps']?.[0]?.spec).toEqual(container({}).spec);
    const volume = { apiVersion: 'longhorn.io/v1beta2', kind: 'Volume', status: { robustness: 'healthy' } };
    const kept = redactedObservation(withObject('volumes.longhorn.io', volume));
    expect(kept.objects['volumes.longhorn.io']?.[0]?.status).toEqual({ robustness: 'healthy' });
  });
});
