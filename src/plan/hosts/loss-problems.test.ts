import { describe, expect, it } from 'vitest';
import { known, type Observed, unknown } from '../../observe/observed.js';
import { lossNotes, lossProblems, type OffProof, offProof } from './loss-problems.js';

const host = (name: string, online: boolean) => ({ [name]: { name, online } });
const UP = { ...host('pve1', true), ...host('pve3', true) };
const SILENT = { ...UP, ...host('pve2', false) };

type Facts = Pick<Observed, 'hosts' | 'quorate' | 'ha'>;

function world(
  hosts: Observed['hosts'],
  ha?: { readonly state: string; readonly service?: string; readonly on?: string },
  quorate: Observed['quorate'] = known(true),
): Facts {
  return {
    hosts,
    quorate,
    ...(ha && {
      ha: known({
        hosts: { pve2: ha.state },
        services: ha.service === undefined ? {} : { 'vm:900': ha.service },
        serviceHosts: { 'vm:900': ha.on ?? 'pve2' },
        resources: {},
        rules: known({}),
      }),
    }),
  };
}

interface Given {
  readonly name?: string;
  readonly concerned?: boolean;
  readonly hasVms?: boolean;
  readonly said?: Exclude<OffProof, 'removed'>;
}

const problemsOf = (observed: Facts, given: Given = {}) => {
  const { name = 'pve2', concerned = true, hasVms = true, said } = given;
  return lossProblems(observed, name, { concerned, hasVms, proof: offProof(observed, name, said) });
};
const codes = (observed: Facts, given?: Given) => problemsOf(observed, given).map(({ code }) => code);

describe('a host counts as lost', () => {
  it('if Proxmox no longer has it', () => {
    expect(codes(world(UP))).toEqual([]);
  });

  it('if HA recovers a service of it, which it does only after fencing', () => {
    expect(codes(world(SILENT, { state: 'unknown', service: 'recovery' }))).toEqual([]);
    expect(codes(world(SILENT, { state: 'unknown', service: 'recovery', on: 'pve1' }))).toEqual([
      'host-not-fenced',
    ]);
  });

  it('if this run has seen it being fenced, or a person has named it as off', () => {
    const silent = world(SILENT, { state: 'unknown' });
    expect(codes(silent, { said: 'fenced' })).toEqual([]);
    expect(codes(silent, { said: 'stated' })).toEqual([]);
  });

  it('if no VM of this cluster is left on it', () => {
    expect(codes(world(SILENT, { state: 'unknown' }), { hasVms: false })).toEqual([]);
  });

  it('not by its HA state: `fence` means that it is to be fenced, `unknown` is before and after that', () => {
    for (const state of ['fence', 'unknown'])
      expect(codes(world(SILENT, { state, service: 'fence' }))).toEqual(['host-not-fenced']);
    expect(codes(world(SILENT))).toEqual(['host-not-fenced']);
  });

  it('not while it is up, whatever was said, or if nothing knows it', () => {
    expect(codes(world({ ...UP, ...host('pve2', true) }), { said: 'stated' })).toEqual(['host-up']);
    expect(codes(world(UP), { name: 'pve9', concerned: false })).toEqual(['unknown-host']);
  });
});

describe('without a quorum', () => {
  const halves = { ...host('pve1', true), ...host('pve2', false) };

  it('both ways out are listed at once', () => {
    const found = problemsOf(world(halves, { state: 'unknown' }, known(false)));
    expect(found.map(({ code }) => code)).toEqual(['proxmox-quorum', 'host-not-fenced']);
    expect(found[0]?.advice).toContain('pvecm expected 1');
    expect(found[1]?.advice).toContain('oxherd host lost pve2 --powered-off pve2 --confirm pve2');
    expect(found[1]?.advice).toContain('pvecm delnode pve2');
  });

  it('records of HA are old: they prove nothing', () => {
    const recovering = { state: 'unknown', service: 'recovery' };
    for (const quorate of [known(false), unknown<boolean>('no answer')])
      expect(codes(world(halves, recovering, quorate))).toContain('host-not-fenced');
  });

  it('a quorum that could not be read is left to the lock, and said', () => {
    const unread = world(halves, undefined, unknown('no answer'));
    expect(codes(unread, { said: 'stated' })).toEqual([]);
    expect(lossNotes(unread)[0]?.message).toContain('no answer');
    expect(lossNotes(world(halves))).toEqual([]);
  });
});
