/** Firewalls of the cluster, of hosts and of VMs: one record each, kept under the name of its scope. */
import type { Pve } from '../api.js';

export type Rule = Record<string, string | number>;

export interface FirewallRecord {
  readonly options: Readonly<Record<string, string | number>>;
  readonly rules: readonly Rule[];
  /** By name in small letters. */
  readonly aliases: Readonly<Record<string, FirewallAlias>>;
  readonly ipsets: Readonly<Record<string, IpSet>>;
  /** Security groups, of the cluster only. */
  readonly groups: Readonly<Record<string, { readonly comment?: string; readonly rules: readonly Rule[] }>>;
}

export interface FirewallAlias {
  readonly name: string;
  readonly cidr: string;
  readonly comment?: string;
}

export interface IpSet {
  readonly comment?: string;
  readonly entries: readonly IpSetEntry[];
}

export interface IpSetEntry {
  readonly cidr: string;
  readonly nomatch?: number;
  readonly comment?: string;
}

const EMPTY: FirewallRecord = { options: {}, rules: [], aliases: {}, ipsets: {}, groups: {} };

export const CLUSTER = 'cluster';
export const vmScope = (vmid: number) => `vm/${vmid}`;
export const hostScope = (host: string) => `host/${host}`;

export function readFirewall(pve: Pick<Pve, 'db'>, scope: string): FirewallRecord {
  return pve.db.firewalls.get(scope) ?? EMPTY;
}

export function changeFirewall(
  pve: Pick<Pve, 'db'>,
  scope: string,
  change: (record: FirewallRecord) => Partial<FirewallRecord>,
): void {
  const record = readFirewall(pve, scope);
  pve.db.firewalls.put(scope, { ...record, ...change(record) });
}
