/** What Proxmox's HA manager looks after, and its rules (Proxmox VE 9). */
import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, asRecord, flag, type Json, optionalText, text } from '../decode.js';

export interface HaResourceEntry {
  /** `vm:151` */
  readonly sid: string;
  /** Every option as text. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface HaRuleEntry {
  readonly rule: string;
  readonly type: string;
  /** `resources`, `nodes`, `affinity`, `strict`, `disable`, `comment`, as text; lists sorted. */
  readonly settings: Readonly<Record<string, string>>;
}

interface HaStates {
  /** What the manager takes each host for: `online`, `maintenance`, `unknown`, `fence`, `gone`. */
  readonly hosts: Readonly<Record<string, string>>;
  /** `vm:151` → what the manager does with it: `started`, `migrate`, `fence`, `recovery`, `error`. */
  readonly services: Readonly<Record<string, string>>;
  /** `vm:151` → the host that the manager has it on. */
  readonly serviceHosts: Readonly<Record<string, string>>;
  /** Whether the host that was asked can write the cluster's files at this moment (PVE/Cluster.pm `check_cfs_quorum`). */
  readonly quorate: boolean;
}

export interface HaCalls {
  haStates(): Promise<HaStates>;
  haResources(): Promise<HaResourceEntry[]>;
  /** Fails before Proxmox VE 9, which has groups instead. */
  haRules(): Promise<HaRuleEntry[]>;
  createHaResource(sid: string, settings: Readonly<Record<string, string>>): Promise<void>;
  updateHaResource(sid: string, settings: Readonly<Record<string, string>>): Promise<void>;
  /** It leaves the rules as well; one that names no other goes. */
  deleteHaResource(sid: string): Promise<void>;
  createHaRule(rule: string, type: string, settings: Readonly<Record<string, string>>): Promise<void>;
  updateHaRule(rule: string, type: string, settings: Readonly<Record<string, string>>): Promise<void>;
  deleteHaRule(rule: string): Promise<void>;
  /** Asks the manager to move it; whether it does is seen later. Names what keeps it from that host. */
  migrateHaResource(sid: string, host: string): Promise<{ readonly blockedBy: readonly string[] }>;
}

/** Kept by Proxmox, not asked for. */
const NOT_SETTINGS = ['sid', 'rule', 'type', 'digest', 'order', 'errors'];

export function haCalls(session: ApiSession): HaCalls {
  const call = apiCall(session);
  return {
    async haStates() {
      const answer = asRecord((await call('GET /cluster/ha/status/manager_status', {})).data, 'HA status');
      const manager = asRecord(answer.manager_status ?? {}, 'HA manager status');
      const hosts = asRecord(manager.node_status ?? {}, 'HA node status');
      const services = asRecord(manager.service_status ?? {}, 'HA services');
      const quorum = asRecord(answer.quorum ?? {}, 'HA quorum');
      const ofServices = (key: string) =>
        Object.fromEntries(
          Object.entries(services).map(([sid, one]) => [sid, optionalText(asRecord(one, sid), key) ?? '']),
        );
      return {
        hosts: Object.fromEntries(Object.entries(hosts).map(([host, state]) => [host, String(state)])),
        services: ofServices('state'),
        serviceHosts: ofServices('node'),
        quorate: flag(quorum, 'quorate'),
      };
    },
    async haResources() {
      return asList((await call('GET /cluster/ha/resources', {})).data, 'HA resources', (record) => ({
        sid: text(record, 'sid'),
        settings: settingsOf(record),
      }));
    },
    async haRules() {
      return asList((await call('GET /cluster/ha/rules', {})).data, 'HA rules', (record) => ({
        rule: text(record, 'rule'),
        type: text(record, 'type'),
        settings: settingsOf(record),
      }));
    },
    async createHaResource(sid, settings) {
      await session.request('POST', '/cluster/ha/resources', { sid, ...settings });
    },
    async updateHaResource(sid, settings) {
      await session.request('PUT', `/cluster/ha/resources/${sid}`, settings);
    },
    async deleteHaResource(sid) {
      await call('DELETE /cluster/ha/resources/{sid}', { sid, purge: undefined });
    },
    // The schema lists what each type of rule has and leaves the type itself out.
    async createHaRule(rule, type, settings) {
      await session.request('POST', '/cluster/ha/rules', { rule, type, ...settings });
    },
    async updateHaRule(rule, type, settings) {
      await session.request('PUT', `/cluster/ha/rules/${rule}`, { type, ...settings });
    },
    async deleteHaRule(rule) {
      await call('DELETE /cluster/ha/rules/{rule}', { rule });
    },
    async migrateHaResource(sid, host) {
      const { data } = await call('POST /cluster/ha/resources/{sid}/migrate', { sid, node: host });
      const blocking = asRecord(data ?? {}, 'HA migration')['blocking-resources'] ?? [];
      return { blockedBy: asList(blocking, 'blocking resources', (one) => text(one, 'sid')) };
    },
  };
}

function settingsOf(record: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      if (NOT_SETTINGS.includes(key) || value === undefined || value === null || typeof value === 'object')
        return [];
      const list = key === 'resources' || key === 'nodes';
      return [[key, list ? String(value).split(',').sort().join(',') : String(value)]];
    }),
  );
}
