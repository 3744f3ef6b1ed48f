import { describe, expect, it } from 'vitest';
import { known, type Observed } from '../../observe/observed.js';
import { lossProblems } from './loss-problems.js';

const host = (name: string, online: boolean) => ({ [name]: { name, online } });

function world(hosts: Observed['hosts'], haState?: string, quorate = true) {
  return {
    hosts,
    quorate: known(quorate),
    ...(haState !== undefined && {
      ha: known({ hosts: { pve2: haState }, resources: {}, rules: known({}) }),
    }),
  } as Pick<Observed, 'hosts' | 'quorate' | 'ha'>;
}

const codes = (observed: ReturnType<typeof world>, name = 'pve2', named = true) =>
  lossProblems(observed, name, named).map(({ code }) => code);
const UP = { ...host('pve1', true), ...host('pve3', true) };

describe('a host counts as lost', () => {
  it('where Proxmox no longer has it, or HA has fenced it', () => {
    expect(codes(world(UP))).toEqual([]);
    expect(codes(world({ ...UP, ...host('pve2', false) }, 'fence'))).toEqual([]);
    expect(codes(world({ ...UP, ...host('pve2', false) }, 'gone'))).toEqual([]);
  });

  it('not while it is up, only silent, or unknown to everybody', () => {
    expect(codes(world({ ...UP, ...host('pve2', true) }))).toEqual(['host-up']);
    expect(codes(world({ ...UP, ...host('pve2', false) }))).toEqual(['host-not-fenced']);
    expect(codes(world({ ...UP, ...host('pve2', false) }, 'unknown'))).toEqual(['host-not-fenced']);
    expect(codes(world(UP), 'pve9', false)).toEqual(['unknown-host']);
  });

  it('not while Proxmox itself cannot be changed', () => {
    expect(codes(world(host('pve1', true), undefined, false))).toEqual(['proxmox-quorum']);
  });
});
