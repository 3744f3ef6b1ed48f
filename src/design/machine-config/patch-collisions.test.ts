import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../formats/text/mapping.js';
import { refuseCollisions } from './patch-collisions.js';

const OURS: Mapping[] = [
  {
    version: 'v1alpha1',
    machine: { kubelet: { image: 'x' }, features: { hostDNS: { enabled: true } }, install: { image: 'x' } },
    cluster: { apiServer: { image: 'x' }, discovery: { enabled: true } },
  },
  { apiVersion: 'v1alpha1', kind: 'HostnameConfig', hostname: 'cp-1' },
  { apiVersion: 'v1alpha1', kind: 'ResolverConfig', nameservers: [{ address: '10.0.0.1' }] },
  { apiVersion: 'v1alpha1', kind: 'TimeSyncConfig', ntp: { servers: ['x'] } },
  { apiVersion: 'v1alpha1', kind: 'VolumeConfig', name: 'EPHEMERAL' },
];

const withMachine = (machine: Mapping): Mapping[] =>
  OURS.map((document) =>
    document.kind === undefined
      ? { ...document, machine: { ...Object(document.machine), ...machine } }
      : document,
  );
const refusal = (documents: readonly Mapping[]) => {
  try {
    refuseCollisions(documents, 'patch.yaml', 'cp-1');
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('a patch that says again what oxherd says', () => {
  it.each([
    [{ network: { hostname: 'x' } }, 'machine.network.hostname'],
    [{ network: { nameservers: ['1.1.1.1'] } }, 'machine.network.nameservers'],
    [{ time: { servers: ['x'] } }, 'machine.time'],
    [{ systemDiskEncryption: { state: {} } }, 'machine.systemDiskEncryption'],
  ])('machine %j', (machine, words) => {
    const told = refusal(withMachine(machine));
    expect(told).toContain(words);
    expect(told).toContain('patch.yaml');
  });

  it.each(['KubeletConfig', 'KubeAPIServerConfig', 'DiscoveryServiceConfig', 'UnattendedInstallConfig'])(
    'a document %s',
    (kind) => expect(refusal([...OURS, { apiVersion: 'v1alpha1', kind }])).toContain(kind),
  );

  it('host DNS in the resolver', () => {
    const documents = OURS.map((document) =>
      document.kind === 'ResolverConfig' ? { ...document, hostDNS: { enabled: false } } : document,
    );
    expect(refusal(documents)).toContain('ResolverConfig.hostDNS');
  });

  it('is no matter where it adds something else', () => {
    expect(refusal(OURS)).toBe('');
    expect(refusal(withMachine({ sysctls: { a: '1' }, network: { hostname: '', nameservers: [] } }))).toBe(
      '',
    );
    expect(refusal([...OURS, { apiVersion: 'v1alpha1', kind: 'SysctlConfig', params: { a: '1' } }])).toBe('');
  });
});
