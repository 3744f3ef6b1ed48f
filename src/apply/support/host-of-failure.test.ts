import { describe, expect, it } from 'vitest';
import { OxherdError } from '../../model/error.js';
import { withHostState } from './host-of-failure.js';

const silent = new OxherdError('talos.unreachable', 'cp-1 does not answer', { advice: 'look at it' });

function clientWith(online: boolean): Parameters<typeof withHostState>[2] {
  const vm = { vmid: 141, name: 'cp-1', node: 'pve1' };
  return {
    clusterStatus: async () => ({ quorate: true, hosts: [{ name: 'pve1', online }] }) as never,
    vms: async () => [vm] as never,
  };
}

describe('the error of a step', () => {
  it('names the host of its node where that is down', async () => {
    const { code, message, advice } = await withHostState({ node: 'cp-1' }, silent, clientWith(false));
    expect(code).toBe('talos.unreachable');
    expect(message).toBe('host pve1 does not answer: cp-1 does not answer');
    expect(advice).toContain('oxherd host lost pve1');
  });

  it('says that Proxmox does not answer either', async () => {
    const gone = new OxherdError('proxmox.dropped', 'cannot connect to 10.0.0.1:8006');
    const away = { ...clientWith(false), clusterStatus: () => Promise.reject(gone) };
    const { message } = await withHostState({ node: 'cp-1' }, silent, away);
    expect(message).toBe('cp-1 does not answer; nor does Proxmox answer: cannot connect to 10.0.0.1:8006');
  });

  it('stays as it is where all hosts are up and where it is of Proxmox, and names a host that is down elsewhere', async () => {
    expect(await withHostState({ node: 'cp-1' }, silent, clientWith(true))).toBe(silent);
    const elsewhere = await withHostState({ node: 'cp-2' }, silent, clientWith(false));
    expect(elsewhere.message).toBe('cp-1 does not answer; host pve1 does not answer');
    expect(elsewhere.advice).toBe('look at it');
    const own = new OxherdError('proxmox.dropped', 'host pve1 does not answer');
    expect(await withHostState({ node: 'cp-1' }, own, clientWith(false))).toBe(own);
  });
});
