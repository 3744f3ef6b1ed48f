import { expect, it } from 'vitest';
import { config } from '../../../test/support/design/config.js';
import { partOf } from '../../../test/support/part-of.js';
import { design } from '../../design/design-cluster.js';
import { kubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { StepList } from '../step-list.js';
import type { KubernetesPlan } from './kubernetes-part.js';
import { planExtraManifests } from './plan-extra-manifests.js';

const HASH = 'a'.repeat(64);
const base = config();
const whole = config({
  kubernetes: { ...base.kubernetes, gatewayApi: { version: 'v1.6.3', channel: 'standard' } },
  cluster: {
    ...base.cluster,
    extraManifests: [
      { url: 'https://example.org/a.yaml?x=1', sha256: HASH },
      { url: 'https://example.org/b.yaml' },
    ],
  },
});
const made = design(whole);
const kubernetes = kubernetesDesign(whole, made, { storages: {}, sizes: {} });
const controlPlane = made.nodes.find((node) => node.role === 'controlplane');

function planned(gatewayVersion: string | undefined, changed?: string) {
  const list = new StepList();
  if (changed !== undefined) {
    list.add(controlPlane?.name ?? '', {
      kind: 'change-config',
      node: controlPlane?.name ?? '',
      title: '',
      reasons: [changed],
      impact: 'live',
      ip: '',
      configHash: '',
      fromHash: '',
      mode: 'no-reboot',
      diff: '',
    });
  }
  const value = gatewayVersion === undefined ? undefined : { version: gatewayVersion, channel: 'standard' };
  const given = partOf<KubernetesPlan>({
    context: { list, design: made, problems: [], notes: [], resets: new Map() },
    design: kubernetes,
    there: { gatewayApi: { known: true, value } },
    api: undefined,
  });
  return planExtraManifests(given).steps.filter((step) => step.kind === 'sync-manifests');
}

it('carries hashes with the URLs, as Talos checks them', () => {
  expect(kubernetes.manifestUrls).toEqual([
    expect.stringContaining('/v1.6.3/standard-install.yaml'),
    `https://example.org/a.yaml?x=1&checksum=sha256:${HASH}`,
    'https://example.org/b.yaml',
  ]);
});

it('does nothing where URLs, hashes and versions are as they were', () => {
  expect(planned('v1.6.3')).toEqual([]);
  expect(planned('v1.6.3', 'machine.kubelet.extraArgs')).toEqual([]);
});

it('follows a changed URL or hash, after the configs that bring it', () => {
  const [step] = planned('v1.6.3', 'cluster.extraManifests');
  expect(step).toMatchObject({
    reasons: ['their URLs or hashes have changed'],
    needs: [`change-config:${controlPlane?.name}`],
    urls: kubernetes.manifestUrls,
  });
});

it('follows another version of the Gateway API, whoever installed it or took it away', () => {
  expect(planned('v1.5.0')[0]?.reasons).toEqual(['Gateway API: v1.5.0 (standard) → v1.6.3 (standard)']);
  expect(planned(undefined)[0]?.reasons).toEqual(['Gateway API: missing → v1.6.3 (standard)']);
});

it('waits for every other change of a control plane too: the manifests are read from its config', () => {
  expect(planned('v1.5.0', 'machine.kubelet.extraArgs')[0]?.needs).toEqual([
    `change-config:${controlPlane?.name}`,
  ]);
});
