/**
 * Proxmox and Talos as steps have them: requests that take a node or an etcd member down are in `down`, and each of them
 * needs the permit of the guard.
 */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { RunningTalos, TalosClient } from '../../clients/talos/client.js';
import type { Permit } from './guard.js';

/** Resets and hard stops are in no step. */
type ProxmoxDownCall = 'shutdownVm' | 'stopVm' | 'rebootVm' | 'resetVm' | 'destroyVm' | 'migrateVm';

type Permitted<Call> = Call extends (...args: infer Args) => infer Answer
  ? (permit: Permit, ...args: Args) => Answer
  : never;

export interface GuardedProxmox extends Omit<ProxmoxClient, ProxmoxDownCall> {
  /** The node continues to run meanwhile. */
  migrateOnline(
    node: string,
    vmid: number,
    move: Omit<Parameters<ProxmoxClient['migrateVm']>[2], 'online'>,
  ): ReturnType<ProxmoxClient['migrateVm']>;
  readonly down: {
    readonly shutdownVm: Permitted<ProxmoxClient['shutdownVm']>;
    readonly destroyVm: Permitted<ProxmoxClient['destroyVm']>;
    /** The VM is off until it has arrived. */
    readonly migrateVm: Permitted<ProxmoxClient['migrateVm']>;
  };
}

export function guardedProxmox(client: ProxmoxClient): GuardedProxmox {
  const {
    shutdownVm,
    stopVm: _stop,
    rebootVm: _reboot,
    resetVm: _reset,
    destroyVm,
    migrateVm,
    ...rest
  } = client;
  return {
    ...rest,
    migrateOnline: (node, vmid, move) => migrateVm(node, vmid, { ...move, online: true }),
    down: {
      shutdownVm(permit, node, vmid, options) {
        permit.spend(`vm ${vmid}`);
        return shutdownVm(node, vmid, options);
      },
      destroyVm(permit, node, vmid, options) {
        permit.spend(`vm ${vmid}`);
        return destroyVm(node, vmid, options);
      },
      migrateVm(permit, node, vmid, move) {
        permit.spend(`vm ${vmid}`);
        return migrateVm(node, vmid, move);
      },
    },
  };
}

export interface GuardedTalos extends RunningTalos {
  readonly down: {
    readonly reboot: Permitted<TalosClient['reboot']>;
    readonly upgrade: Permitted<TalosClient['upgrade']>;
    readonly leaveEtcd: Permitted<TalosClient['etcd']['leave']>;
    readonly removeMember: Permitted<TalosClient['etcd']['removeById']>;
  };
}

export function guardedTalos(client: TalosClient, ip: string): GuardedTalos {
  const { reboot, shutdown: _shutdown, reset: _reset, upgrade, etcd, ...rest } = client;
  const { leave, removeById, ...members } = etcd;
  return {
    ...rest,
    etcd: members,
    down: {
      reboot(permit, options) {
        permit.spend(`machine ${ip}`);
        return reboot(options);
      },
      upgrade(permit, image, log) {
        permit.spend(`machine ${ip}`);
        return upgrade(image, log);
      },
      leaveEtcd(permit) {
        permit.spend(`machine ${ip}`);
        return leave();
      },
      removeMember(permit, memberId) {
        permit.spend(`member ${memberId.toString(16)}`);
        return removeById(memberId);
      },
    },
  };
}
