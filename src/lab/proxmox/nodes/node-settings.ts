/** What a host has been told of itself, and where it looks names up. */
import type { Pve } from '../api.js';
import type { Settings } from '../section-config.js';

export interface NodeSettings {
  readonly timezone?: string;
  readonly dns?: Settings;
  readonly hosts?: string;
  readonly config?: Settings;
}

export const settingsKey = (host: string) => `node-settings/${host}`;

export function nodeSettings({ db }: Pick<Pve, 'db'>, host: string): NodeSettings {
  const kept = db.settings.get(settingsKey(host));
  return typeof kept === 'object' && kept !== null ? kept : {};
}

/** `/etc/resolv.conf` */
export function dnsSettings(pve: Pick<Pve, 'db'>, host: string): Settings {
  return nodeSettings(pve, host).dns ?? { search: 'lab', dns1: '127.0.0.1' };
}

export function resolverOf(pve: Pick<Pve, 'db'>, host: string): { servers: string[]; search: string } {
  const { search, dns1, dns2, dns3 } = dnsSettings(pve, host);
  return { servers: [dns1, dns2, dns3].filter(Boolean).map(String), search: String(search ?? '') };
}
