/** `POST /nodes/{node}/status`: a host that is told to go down is as down as one that fails, and a reboot comes back. */
import type { Handlers, Pve } from '../api.js';
import { nodeOf } from '../http/request.js';

const DOWN = 'pve/host-shutdown';
const UP = 'pve/host-up';
/** Proxmox answers first. */
const DELAY = 2_000;
/** Firmware, kernel and services. */
const BOOT = 120_000;

export const hostCommandHandlers: Handlers = {
  'POST /nodes/{node}/status': (call) => {
    const args = { host: nodeOf(call), reboots: call.text('command') === 'reboot' };
    call.pve.core.timeline.after(DELAY, DOWN, args);
    return null;
  },
};

export function defineHostCommands(pve: Pve): void {
  const { faults, timeline } = pve.core;
  timeline.on<{ host: string; reboots: boolean }>(DOWN, ({ host, reboots }) => {
    faults.set({ name: 'host-down', subject: host, countdown: null });
    if (reboots) timeline.after(BOOT, UP, { host });
  });
  timeline.on<{ host: string }>(UP, ({ host }) => faults.clear('host-down', host));
}
