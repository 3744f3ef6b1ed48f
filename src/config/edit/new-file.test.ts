import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addToIPv4, ipv4FromNumber } from '../../model/address.js';
import { formatDiagnostic } from '../diagnostics.js';
import { loadConfig } from '../load.js';
import { newConfigFile } from './new-file.js';
import type { Answers } from './new-file-answers.js';

const ANSWERS: Answers = {
  name: 'homelab',
  endpoint: 'https://pve1.lan:8006',
  hosts: 'pve1, pve2, pve3',
  subnet: '10.20.30.0/24',
  gateway: '10.20.30.254',
  controlplanes: '3',
  workers: '3',
  vip: '',
  talos: 'v1.14.1',
  kubernetes: 'v1.36.0',
};

function load(answers: Answers) {
  const text = newConfigFile(answers);
  const { config, diagnostics } = loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined });
  expect(diagnostics.map((d) => formatDiagnostic(d))).toEqual([]);
  return config ?? expect.fail();
}

describe('newConfigFile', () => {
  it('chooses the addresses of the examples', () => {
    const config = load(ANSWERS);
    expect(config.cluster.vip).toBe('10.20.30.40');
    expect(config.nodes.map(({ ip, vmid, host }) => `${ip} ${vmid} ${host}`)).toEqual([
      '10.20.30.41 141 pve1',
      '10.20.30.42 142 pve2',
      '10.20.30.43 143 pve3',
      '10.20.30.51 151 pve1',
      '10.20.30.52 152 pve2',
      '10.20.30.53 153 pve3',
    ]);
  });

  it('makes one machine that does everything', () => {
    const config = load({ ...ANSWERS, hosts: 'pve', controlplanes: '1', workers: '0' });
    expect(config.cluster.vip).toBeUndefined();
    expect(config.cluster.scheduleOnControlPlanes).toBe(true);
    expect(config.policy.outage).toBe('allow');
  });

  it('is valid for every network with room', () => {
    const answers = fc
      .record({
        prefix: fc.integer({ min: 16, max: 26 }),
        network: fc.nat(0xffff),
        gateway: fc.nat(60),
        controlplanes: fc.constantFrom(1, 3, 5),
        workers: fc.nat(12),
      })
      .map(({ prefix, network, gateway, controlplanes, workers }): Answers => {
        const size = 2 ** (32 - prefix);
        const base = ipv4FromNumber(0x0a000000 + Math.floor(network / size) * size * 4) ?? expect.fail();
        return {
          ...ANSWERS,
          subnet: `${base}/${prefix}`,
          gateway: addToIPv4(base, 1 + gateway) ?? expect.fail(),
          controlplanes: String(controlplanes),
          workers: String(workers),
        };
      });
    fc.assert(
      fc.property(answers, (each) => {
        load(each);
      }),
    );
  });

  it('says when the network is too small', () => {
    expect(() => newConfigFile({ ...ANSWERS, subnet: '10.20.30.248/29', workers: '9' })).toThrow(
      'has no 9 free addresses in a row',
    );
  });
});
