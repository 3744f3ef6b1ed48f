/** Services that run as soon as a machine is up; the others wait for their turn. */
import type { Machine } from '../machine/machine.js';
import { ALWAYS } from './services.js';

const HEALTHY = 'Health check successful';

/** With a config and without one: extensions that need none of it run as well. */
export function startAlways(machine: Machine, extensions: readonly string[] = []): void {
  for (const service of ALWAYS) machine.setService(service, 'Running', HEALTHY);
  if (extensions.some((name) => name.endsWith('/qemu-guest-agent'))) {
    machine.setService('ext-qemu-guest-agent', 'Running', '');
  }
}

export function startServices(machine: Machine, type: string, extensions: readonly string[]): void {
  startAlways(machine);
  if (type === 'controlplane') machine.setService('trustd', 'Running', HEALTHY);
  for (const extension of extensions) {
    const name = /\/(qemu-guest-agent|iscsi-tools|tailscale|cloudflared|nut-client)$/.exec(extension)?.[1];
    if (name) machine.setService(`ext-${name}`, 'Running', '');
  }
}
