import { describe, expect, it } from 'vitest';
import { config } from '../../../test/support/design/config.js';
import { emptyProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { drainProblems } from './drain-problems.js';

const NOTHING = { podsDown: false, noQuorum: false };
const REQUEST = { host: 'pve2', forSeconds: 3_600, stay: [], move: [] };
const host = (name: string, online = true) => ({ [name]: { name, online } });

function refused(hosts: Record<string, { name: string; online: boolean }>, qdevice: number, votes = {}) {
  const all = Object.fromEntries(Object.keys(hosts).map((name) => [name, 1]));
  const counted = { hosts: { ...all, ...votes }, qdevice };
  const found = drainProblems(design(config()), emptyProxmox({ hosts }), REQUEST, [], NOTHING, counted);
  return found.map(({ message }) => message).join();
}

describe('votes without a host', () => {
  const two = { ...host('pve1'), ...host('pve2') };

  it('of two hosts do not suffice, unless a QDevice has one too', () => {
    expect(refused(two, 0)).toContain('without pve2 1 of 2 votes are left');
    expect(refused(two, 1)).toBe('');
  });

  it('are counted as corosync has them', () => {
    expect(refused(two, 0, { pve1: 2 })).toBe('');
    const three = { ...two, ...host('pve3', false) };
    expect(refused(three, 0)).toContain('1 of 3 votes');
    expect(refused(three, 2)).toBe('');
  });
});
