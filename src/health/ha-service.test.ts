import { expect, it } from 'vitest';
import { partOf } from '../../test/support/part-of.js';
import { partVms } from '../../test/support/plan/part-vms.js';
import type { Design } from '../design/design.js';
import { known, type Observed } from '../observe/observed.js';
import { proxmoxConditions } from './proxmox.js';

function said(services: Record<string, string>, state = 'started', dataState = 'stopped') {
  const node = {
    name: 'cp-1',
    host: 'pve1',
    talosVm: { vmid: 141, kind: 'talos' as const },
    dataVm: { vmid: 1410, kind: 'data' as const },
    drives: [],
  };
  const settings = { 'vm:141': { state }, 'vm:1410': { state: dataState } };
  const observed = partOf<Observed>({
    quorate: known(true),
    hosts: {},
    vms: partVms(),
    taken: {},
    storages: {},
    ha: known({ resources: settings, services, rules: known({}) }),
  });
  return proxmoxConditions(partOf<Design>({ nodes: [node], csiVolumes: [] }), observed)
    .filter(({ name }) => name === 'ha-service')
    .map((condition) => [condition.subject, condition.state, condition.message, condition.advice]);
}

it('is not spoken of while HA does what it is asked to', () => {
  expect(said({ 'vm:141': 'started', 'vm:1410': 'stopped' })).toEqual([]);
});

it('fails where HA has given up, with the commands that clear it', () => {
  expect(said({ 'vm:141': 'error' })).toEqual([
    [
      'cp-1',
      'failed',
      'HA has given up on VM 141 (state error): it neither starts, stops nor moves it',
      expect.stringContaining('ha-manager set vm:141 --state disabled'),
    ],
  ]);
});

it('is a note where someone has told HA to leave the VM alone', () => {
  expect(said({ 'vm:141': 'ignored' }, 'ignored')).toEqual([
    [
      'cp-1',
      'note',
      expect.stringContaining('HA ignores VM 141'),
      expect.stringContaining('--state started'),
    ],
  ]);
});

it('never has a data VM started', () => {
  const starts = expect.not.stringContaining('--state started');
  const failed = said({ 'vm:1410': 'error' }, 'started', 'disabled');
  const left = said({}, 'started', 'ignored');
  expect([...failed, ...left]).toEqual([
    ['cp-1', 'failed', expect.any(String), starts],
    ['cp-1', 'note', expect.any(String), starts],
  ]);
});
