import { describe, expect, it } from 'vitest';
import type { EtcdStatusInfo } from '../../clients/talos/etcd.js';
import { etcdLag } from './etcd-lag.js';

const STATUS: EtcdStatusInfo = {
  memberId: 1n,
  leader: 1n,
  learner: false,
  dbSize: 0,
  dbSizeInUse: 0,
  raftIndex: 0n,
  raftTerm: 2n,
  raftAppliedIndex: 0n,
  protocolVersion: '3.6.0',
  storageVersion: '3.6.0',
  errors: [],
};

/** Members by address with how far each is; `undefined`: it does not answer. */
function etcd(places: Readonly<Record<string, number | undefined>>) {
  return (ip: string) => ({
    members: async () =>
      Object.keys(places).map((one, index) => ({
        id: BigInt(index + 1),
        hostname: `cp-${index + 1}`,
        peerUrls: [`https://${one.includes(':') ? `[${one}]` : one}:2380`],
        clientUrls: [],
        learner: false,
      })),
    status: async () => {
      const place = places[ip];
      if (place === undefined) throw new Error('nobody answers');
      return { ...STATUS, raftIndex: BigInt(place), raftAppliedIndex: BigInt(place) };
    },
  });
}

describe('an etcd member that is back', () => {
  it.each([
    ['as far as the others', { '10.0.0.1': 70, '10.0.0.2': 70, '10.0.0.3': 69 }],
    ['the only one that answers', { '10.0.0.1': 5, '10.0.0.2': undefined }],
    ['alone', { '10.0.0.1': 5 }],
  ])('has caught up where it is %s', async (_, places) => {
    expect(await etcdLag(etcd(places), '10.0.0.1')).toBeUndefined();
  });

  it('says how far it is behind', async () => {
    const places = { '10.0.0.1': 20, '10.0.0.2': 70, '10.0.0.3': undefined };
    expect(await etcdLag(etcd(places), '10.0.0.1')).toBe(
      'etcd has not caught up: it is 50 entries behind the others',
    );
  });

  it('is compared with others, whatever form their addresses have', async () => {
    const places = { 'fd00::1': 70, 'fd00::2': 60 };
    expect(await etcdLag(etcd(places), 'fd00::1')).toBeUndefined();
    expect(await etcdLag(etcd(places), 'fd00::2')).toContain('10 entries');
  });
});
