import { describe, expect, it } from 'vitest';
import { parseVersion, type Version } from '../../model/version.js';
import { REMOVED_APIS } from './removed-api-table.js';
import { type ApiUse, apiUsesOf, removedApiFindings, removedBetween } from './removed-apis.js';

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (!parsed) throw new Error(`${text} is not a version`);
  return parsed;
}

const use = (apiVersion: string, kind: string, object: string, by = 'argocd'): ApiUse => ({
  apiVersion,
  kind,
  object,
  by,
});

describe('the table', () => {
  it('names every API version and kind once, and a successor that is not removed with it', () => {
    const seen = REMOVED_APIS.flatMap(({ group, version: v, kinds }) =>
      kinds.map((kind) => `${group}/${v} ${kind}`),
    );
    expect(new Set(seen).size).toBe(seen.length);
    for (const { group, kinds, removedIn, use: successor } of REMOVED_APIS) {
      const also = REMOVED_APIS.find(
        (other) =>
          other.group === group &&
          other.version === successor &&
          other.kinds.some((kind) => kinds.includes(kind)),
      );
      expect(also?.removedIn ?? Number.POSITIVE_INFINITY).toBeGreaterThan(removedIn);
    }
  });
});

describe('an upgrade', () => {
  it('takes away what its minors remove, and no more', () => {
    const names = (from: string, to: string) =>
      removedBetween(version(from), version(to)).map(({ group, version: v }) => `${group}/${v}`);
    expect(names('v1.31.4', 'v1.32.0')).toEqual([
      'admissionregistration.k8s.io/v1alpha1',
      'flowcontrol.apiserver.k8s.io/v1beta3',
    ]);
    expect(names('v1.36.0', 'v1.36.3')).toEqual([]);
    expect(names('v1.35.0', 'v1.37.0')).toEqual([
      'certificates.k8s.io/v1alpha1',
      'networking.k8s.io/v1beta1',
      'storage.k8s.io/v1beta1',
    ]);
  });

  it('warns of objects whose writers use it, by name', () => {
    const uses = [
      use('flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', 'mine'),
      use('flowcontrol.apiserver.k8s.io/v1beta3', 'FlowSchema', 'mine', 'helm'),
      use('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', 'theirs'),
      use('apps/v1', 'Deployment', 'shop/web'),
    ];
    const found = removedApiFindings(uses, version('v1.31.0'), version('v1.32.0'));
    expect(found.map(({ severity, message, advice }) => ({ severity, message, advice }))).toEqual([
      {
        severity: 'warning',
        message:
          'Kubernetes v1.32 no longer serves flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema: mine (written by argocd, helm)',
        advice: 'the objects stay; change what writes them to flowcontrol.apiserver.k8s.io/v1',
      },
    ]);
  });

  it('is a problem where the kind is gone altogether', () => {
    const uses = Array.from({ length: 7 }, (_, i) => use('policy/v1beta1', 'PodSecurityPolicy', `psp-${i}`));
    const [found] = removedApiFindings(uses, version('v1.24.0'), version('v1.25.0'));
    expect(found).toMatchObject({ severity: 'problem', advice: expect.stringMatching(/delete/) });
    expect(found?.message).toMatch(/psp-0, psp-1, psp-2, psp-3, psp-4 and 2 more/);
  });
});

describe('a live object', () => {
  it('tells by its managed fields and by what kubectl sent, not by its own apiVersion', () => {
    const uses = apiUsesOf({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: {
        name: 'web',
        namespace: 'shop',
        managedFields: [
          { manager: 'helm', apiVersion: 'policy/v1beta1' },
          { manager: 'kube-controller-manager', apiVersion: 'policy/v1', subresource: 'status' },
        ],
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration':
            '{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget"}',
        },
      },
    });
    expect(uses.map(({ apiVersion, object, by }) => [apiVersion, object, by])).toEqual([
      ['policy/v1beta1', 'shop/web', 'helm'],
      ['policy/v1', 'shop/web', 'kube-controller-manager'],
      ['policy/v1beta1', 'shop/web', 'kubectl apply'],
    ]);
  });

  it.each([[undefined], ['text'], [{}], [{ metadata: { managedFields: 'x', annotations: null } }]])(
    'that is none says nothing: %j',
    (live) => expect(apiUsesOf(live)).toEqual([]),
  );
});
