import { describe, expect, it } from 'vitest';
import { bboltDatabase } from '../../lab/talos/etcd/etcd-database.js';
import {
  certificatesIn,
  isOfThisCluster,
  originInside,
  parseOrigin,
  printOrigin,
  snapshotBelongs,
} from './snapshot-origin.js';

const UID = '0b9aa2a1-0e8b-4f8c-9f0e-3a6c1f6f2a55';
const OURS = { secrets: 'aa', cluster: UID, authority: 'QUJD' };

describe('the note beside a snapshot', () => {
  it('holds for the file with its hash only', () => {
    const note = printOrigin('hash', OURS);
    expect(parseOrigin(note, 'hash')).toEqual({ secrets: 'aa', cluster: UID });
    expect(parseOrigin(note, 'other')).toBeUndefined();
    expect(parseOrigin('not JSON', 'hash')).toBeUndefined();
  });
});

describe('a snapshot', () => {
  it.each([
    ['with our fingerprint is ours', { secrets: 'aa' }, 'ours'],
    ['with another fingerprint is not', { secrets: 'bb', authorities: ['QUJD'] }, 'other'],
    ['with another CA in it is not', { authorities: ['WFla'] }, 'other'],
    ['with our CA in it and no fingerprint is for a person to decide', { authorities: ['QUJD'] }, 'unknown'],
    ['that says nothing is for a person to decide', {}, 'unknown'],
  ])('%s', (_, origin, expected) => {
    expect(snapshotBelongs(origin, OURS)).toBe(expected);
  });

  it('with a fingerprint is not ours while there are no secrets', () => {
    expect(snapshotBelongs({ secrets: 'aa' }, {})).toBe('other');
  });

  it.each([
    ['of this cluster', { secrets: 'aa', cluster: UID }, OURS, true],
    ['of a destroyed cluster with the same secrets', { secrets: 'aa', cluster: 'old' }, OURS, false],
    ['of an unknown cluster', {}, OURS, false],
    ['while the API does not answer', { secrets: 'aa', cluster: UID }, { secrets: 'aa' }, true],
    ['of other secrets while the API does not answer', { secrets: 'bb' }, { secrets: 'aa' }, false],
  ])('is of the cluster that runs: %s', (_, origin, owner, expected) => {
    expect(isOfThisCluster(origin, owner)).toBe(expected);
  });

  it('that is no database of etcd says nothing', () => {
    expect(originInside(bboltDatabase({ other: [] }))).toEqual({});
    expect(originInside(new Uint8Array(100))).toEqual({});
  });
});

describe('certificates', () => {
  it('are the same with line ends and with those of JSON', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nQU\nJD\n-----END CERTIFICATE-----\n';
    expect(certificatesIn(pem + pem)).toEqual(['QUJD', 'QUJD']);
    expect(certificatesIn(JSON.stringify(pem))).toEqual(['QUJD']);
  });
});
