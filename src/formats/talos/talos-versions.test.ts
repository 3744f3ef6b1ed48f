import { describe, expect, it } from 'vitest';
import { parseVersion } from '../../model/version.js';
import { FIELD_SINCE } from '../gen/talos-field-versions.js';
import { structOf } from './talos-shapes.js';
import { keysUnknownTo, kindKnownTo, knowsEveryKey } from './talos-versions.js';

const version = (text: string) => {
  const parsed = parseVersion(text);
  if (!parsed) throw new Error(text);
  return parsed;
};
const unknown = (kind: string, value: Record<string, unknown>, to: string) =>
  keysUnknownTo(kind, value, version(to));

describe('keys that a Talos does not know', () => {
  it('are those that came later, wherever they stand', () => {
    const volume = { name: 'EPHEMERAL', mount: { secure: true, disableAccessTime: true } };
    expect(unknown('VolumeConfig', volume, 'v1.12.4')).toEqual(['mount']);
    expect(unknown('VolumeConfig', volume, 'v1.13.9')).toEqual(['mount.disableAccessTime']);
    expect(unknown('VolumeConfig', volume, 'v1.14.1')).toEqual([]);
    const resolvers = { nameservers: [{ address: '1.1.1.1' }, { address: '9.9.9.9', protocol: 'tls' }] };
    expect(unknown('ResolverConfig', resolvers, 'v1.13.0')).toEqual(['nameservers.1.protocol']);
    const flannel = { cluster: { network: { cni: { flannel: { kubeNetworkPoliciesEnabled: true } } } } };
    expect(unknown('v1alpha1', flannel, 'v1.12.0')).toEqual([
      'cluster.network.cni.flannel.kubeNetworkPoliciesEnabled',
    ]);
    expect(unknown('v1alpha1', flannel, 'v1.13.0')).toEqual([]);
  });

  it('are keys of structs that the newest one has', () => {
    for (const [name, fields] of Object.entries(FIELD_SINCE))
      for (const field of Object.keys(fields))
        expect([...structOf(name).fields.keys()], name).toContain(field);
  });

  it('are none for the minor that the newest of them came with', () => {
    const minors = new Set(Object.values(FIELD_SINCE).flatMap((fields) => Object.values(fields)));
    for (const minor of minors) {
      const knows = knowsEveryKey(version(`${minor}.0`));
      const isOld = [...minors].some((other) => Number(other.slice(3)) > Number(minor.slice(3)));
      expect(knows && isOld, minor).toBe(false);
    }
    expect(knowsEveryKey(version('v1.99.0'))).toBe(true);
    expect(knowsEveryKey(version('v1.12.0'))).toBe(false);
  });

  it('go with kinds of documents', () => {
    expect(kindKnownTo('UserVolumeConfig', version('v1.12.0'))).toBe(true);
    expect(kindKnownTo('SecurityProfileConfig', version('v1.13.9'))).toBe(false);
    expect(kindKnownTo('v1alpha1', version('v1.12.0'))).toBe(true);
  });
});
