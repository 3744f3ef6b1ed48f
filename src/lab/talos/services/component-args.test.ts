import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Component, readArgs, whyNotStarting } from './component-args.js';
import { COMPONENT_FLAGS } from './component-flags.js';

const flags = Object.entries(COMPONENT_FLAGS).flatMap(([component, byType]) =>
  Object.entries(byType).flatMap(([type, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => ({ component: component as Component, type, name })),
  ),
);
const flag = fc.constantFrom(...flags);
const GOOD: Readonly<Record<string, string>> = {
  bool: 'true',
  int: '10',
  float: '0.5',
  duration: '1h30m',
  ip: '10.0.0.1',
  text: '',
};
/** The version that component-flags.ts is about. */
const NEWEST = 'v1.37.0';
const OWN_RULES = ['feature-gates', 'enable-admission-plugins', 'disable-admission-plugins'];

describe('arguments of a component', () => {
  it('that have the type of their flag let it start', () => {
    fc.assert(
      fc.property(flag, ({ component, type, name }) => {
        expect(whyNotStarting(component, [[name, GOOD[type] ?? '']], NEWEST)).toBeUndefined();
      }),
    );
  });

  it('that are words where a flag wants none stop it, unless Talos does not pass them on', () => {
    const typed = flags.filter(({ type }) => type !== 'text');
    fc.assert(
      fc.property(fc.constantFrom(...typed), ({ component, name }) => {
        const why = whyNotStarting(component, [[name, 'not-a-value']], NEWEST);
        expect(why).toContain(`invalid argument "not-a-value" for "--${name}" flag: `);
      }),
    );
  });

  it('that no one knows stop it', () => {
    const name = fc.stringMatching(/^[a-z]{3,8}-zz[a-z]{2,5}$/);
    fc.assert(
      fc.property(flag, name, ({ component }, unknown) => {
        expect(whyNotStarting(component, [[unknown, 'x']], NEWEST)).toBe(`unknown flag: --${unknown}`);
      }),
    );
  });

  it.each([
    ['feature-gates', 'AllAlpha=true', undefined],
    ['feature-gates', 'AllAlpha', 'missing bool value for AllAlpha'],
    ['feature-gates', 'NoSuch=true', 'unrecognized feature gate: NoSuch'],
    ['enable-admission-plugins', 'NodeRestriction,NoSuch', 'plugin "NoSuch" is unknown'],
    ['etcd-servers', 'https://elsewhere:2379', undefined],
  ])('--%s=%s: %s', (name, value, problem) => {
    const why = whyNotStarting('kube-apiserver', [[name, value]], NEWEST);
    if (problem === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(problem);
    expect(OWN_RULES.includes(name) || name === 'etcd-servers').toBe(true);
  });

  it.each([
    ['kubelet', 'pod-infra-container-image', 'registry.k8s.io/pause:3.10', 'v1.34.9', 'v1.35.0'],
    ['kubelet', 'storage-driver-db', 'cadvisor', 'v1.36.4', 'v1.37.0'],
    ['kube-controller-manager', 'concurrent-service-syncs', '2', 'v1.36.0', 'v1.37.0'],
    ['kube-apiserver', 'feature-gates', 'HonorPVReclaimPolicy=true', 'v1.35.2', 'v1.36.0'],
    ['kube-scheduler', 'feature-gates', 'GangScheduling=true', 'v1.36.0', 'v1.37.0'],
  ] as const)('%s --%s=%s starts with %s and not with %s', (component, name, value, last, without) => {
    expect(whyNotStarting(component, [[name, value]], last)).toBeUndefined();
    expect(whyNotStarting(component, [[name, value]], without)).toMatch(
      /unknown flag|unrecognized feature gate/,
    );
  });

  it.each([
    ['kube-scheduler', 'min-compatibility-version', '1.34', 'v1.34.0', 'v1.35.0'],
    ['kube-controller-manager', 'concurrent-disruption-syncs', '2', 'v1.36.1', 'v1.37.0'],
    ['kube-apiserver', 'feature-gates', 'EtcdRangeStream=true', 'v1.36.1', 'v1.37.0'],
  ] as const)(
    '%s --%s=%s does not start with %s, and starts with %s',
    (component, name, value, before, first) => {
      expect(whyNotStarting(component, [[name, value]], before)).toMatch(
        /unknown flag|unrecognized feature gate/,
      );
      expect(whyNotStarting(component, [[name, value]], first)).toBeUndefined();
    },
  );

  it('may be given several times', () => {
    expect(readArgs({ v: 4, 'tls-sni-cert-key': ['a', 'b'] })).toEqual([
      ['v', '4'],
      ['tls-sni-cert-key', 'a'],
      ['tls-sni-cert-key', 'b'],
    ]);
  });
});
