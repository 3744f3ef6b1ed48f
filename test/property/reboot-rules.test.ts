/** What oxherd sends without a reboot is what Talos up to 1.13 takes without one: its own rule is in the lab. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { needsReboot } from '../../src/lab/talos/machine/reboot-rules.js';
import { configChange } from '../../src/plan/machines/config-change.js';

const SECTIONS = [
  'acceptedCAs',
  'baseRuntimeSpecOverrides',
  'ca',
  'certSANs',
  'controlPlane',
  'disks',
  'env',
  'files',
  'install',
  'kernel',
  'kubelet',
  'logging',
  'network',
  'nodeAnnotations',
  'nodeLabels',
  'nodeTaints',
  'pods',
  'registries',
  'seccompProfiles',
  'sysctls',
  'sysfs',
  'systemDiskEncryption',
  'time',
  'type',
  'udev',
];
const FEATURES = [
  'apidCheckExtKeyUsage',
  'diskQuotaSupport',
  'hostDNS',
  'imageCache',
  'kubePrism',
  'kubernetesTalosAPIAccess',
  'nodeAddressSortAlgorithm',
  'rbac',
  'stableHostname',
];

const field = (keys: readonly string[], below: (key: string) => string) =>
  fc.tuple(fc.constantFrom(...keys).map(below), fc.constantFrom('mirrors', 'config', 'x'), fc.nat(2));
/** A few fields with small values: two of these often differ in little. */
const fields = fc.array(
  fc.oneof(
    field(SECTIONS, (key) => `machine ${key}`),
    field(FEATURES, (key) => `machine features ${key}`),
    field(['network', 'etcd'], (key) => `cluster ${key}`),
  ),
  { maxLength: 3 },
);

type Tree = { [key: string]: Tree | number | string };

function documentOf(list: readonly (readonly [string, string, number])[]): Tree {
  const document: Tree = { version: 'v1alpha1', machine: { features: {} }, cluster: {} };
  for (const [place, key, value] of list) {
    let at = document;
    for (const name of place.split(' ')) {
      const next = at[name];
      at = at[name] = typeof next === 'object' ? next : {};
    }
    at[key] = value;
  }
  return document;
}

describe('a change that oxherd sends without a reboot', () => {
  it.each(['v1.12.0', 'v1.13.9'])('needs none with Talos %s', (version) => {
    let live = 0;
    fc.assert(
      fc.property(fields, fields, (first, second) => {
        const [before, after] = [documentOf(first), documentOf(second)];
        const change = configChange(JSON.stringify([before]), JSON.stringify([after]), version);
        if (change.mode === 'staged') return;
        live += 1;
        expect(needsReboot(stringify(before), stringify(after))).toBe(false);
      }),
      { numRuns: 300 },
    );
    expect(live).toBeGreaterThan(20);
  });

  it.each(SECTIONS)('of machine.%s is not more careful than Talos without a reason', (name) => {
    const config = (value: string) => ({ version: 'v1alpha1', machine: { [name]: { mirrors: value } } });
    const change = configChange(JSON.stringify([config('a')]), JSON.stringify([config('b')]), 'v1.13.9');
    expect(change.mode === 'staged').toBe(needsReboot(stringify(config('a')), stringify(config('b'))));
  });
});
