import { describe, expect, it } from 'vitest';
import { config, nodeConfig } from '../../../test/support/design/config.js';
import { builtProxmox, everywhere } from '../../../test/support/plan/observed.js';
import type { Config, HaConfig } from '../../config/config.js';
import { design } from '../../design/design-cluster.js';
import { known, type Observed, type ObservedHa, unknown } from '../../observe/observed.js';
import { planCluster } from '../plan-cluster.js';

const HA: HaConfig = { state: 'started', hosts: [], strict: false, spread: true };
const hostsOf = ['pve1', 'pve2', 'pve3'];

function wanted(ha: HaConfig | undefined): Config {
  return config({
    nodes: [
      ...hostsOf.map((host, index) =>
        nodeConfig(`cp-${index + 1}`, 141 + index, 'controlplane', { host, ...(ha && { ha }) }),
      ),
      nodeConfig('work-1', 151, 'worker', { ...(ha && { ha }) }),
    ],
  });
}

/** Everything of `from` is there, on shared storage. */
function there(from: Config, ha: Partial<ObservedHa> = {}, more: Partial<Observed> = {}): Observed {
  const built = builtProxmox(from);
  const storages = Object.fromEntries(
    Object.entries(built.storages).map(([key, storage]) => [key, { ...storage, shared: true }]),
  );
  const rules = known({});
  const permissions = known(everywhere(['Sys.Console']));
  const seen = { hosts: {}, resources: {}, rules, ...ha };
  return { ...built, storages, permissions, ha: known(seen), ...more };
}

const plan = (config: Config, observed: Observed) => planCluster(design(config), observed);
const PLAIN = wanted(undefined);

function applied(config: Config): Partial<ObservedHa> {
  const { resources = {}, rules = {} } = design(config).ha ?? {};
  return { resources, rules: known(rules) };
}

describe('HA resources and rules', () => {
  it('are created together: both VMs of a node, bound to each other, control planes apart', () => {
    const { steps, problems } = plan(wanted(HA), there(PLAIN));
    expect(problems).toEqual([]);
    const ids = steps.map(({ id }) => id);
    expect(ids).toContain('set-ha-resource:vm:1410');
    expect(ids).toContain('set-ha-rule:oxherd_homelab__spread');
    expect(steps.find(({ id }) => id === 'set-ha-rule:oxherd_homelab__pair-151')).toMatchObject({
      settings: { affinity: 'positive', resources: 'vm:151,vm:1510' },
    });
    expect(steps.every(({ impact }) => impact === 'live')).toBe(true);
  });

  it('are nothing to do once they are there', () => {
    const config = wanted({ ...HA, hosts: ['pve1', 'pve2', 'pve3'], strict: true });
    expect(plan(config, there(config, applied(config))).steps).toEqual([]);
  });

  it('that differ are drift', () => {
    const config = wanted(HA);
    const { resources = {}, ...rest } = applied(config);
    const changed = { ...resources, 'vm:151': { ...resources['vm:151'], failback: '1' } };
    const { steps } = plan(config, there(config, { resources: changed, ...rest }));
    expect(steps).toMatchObject([
      { id: 'set-ha-resource:vm:151', drift: [{ reason: 'failback 1 → 0', by: 'unknown' }] },
    ]);
  });

  it('have their defaults again where others changed what oxherd.yaml does not say', () => {
    const config = wanted(HA);
    const { resources = {}, rules } = applied(config);
    const changed = {
      ...resources,
      'vm:151': { ...resources['vm:151'], max_restart: '5', max_relocate: '0' },
    };
    const spread = 'oxherd_homelab__spread';
    const own = rules?.known ? rules.value : {};
    const off = {
      ...own,
      [spread]: { type: 'resource-affinity', settings: { ...own[spread]?.settings, disable: '1' } },
    };
    const { steps } = plan(config, there(config, { resources: changed, rules: known(off) }));
    expect(steps.map(({ id, reasons }) => [id, ...reasons])).toEqual([
      ['set-ha-resource:vm:151', 'max_restart 5 → 1', 'max_relocate 0 → 1'],
      [`set-ha-rule:${spread}`, 'disable 1 → 0'],
    ]);
  });

  it('that rules of others contradict are left, and those are named', () => {
    const config = wanted({ ...HA, hosts: ['pve1', 'pve2', 'pve3'] });
    const rules = known({
      theirs: { type: 'node-affinity', settings: { resources: 'vm:151', nodes: 'pve3', strict: '1' } },
      together: { type: 'resource-affinity', settings: { resources: 'vm:141,vm:142', affinity: 'positive' } },
      off: {
        type: 'resource-affinity',
        settings: { resources: 'vm:141,vm:1410', affinity: 'negative', disable: '1' },
      },
    });
    const { steps, notes } = plan(
      config,
      there(config, { rules, resources: applied(config).resources ?? {} }),
    );
    expect(steps.map(({ id }) => id).filter((id) => /spread|hosts-/.test(id))).toEqual([]);
    expect(steps.some(({ id }) => id.endsWith('pair-141'))).toBe(true);
    const said = notes.map(({ message }) => message).join('\n');
    expect(said).toMatch(
      /HA rule theirs of others says on which hosts vm:151 may run: oxherd_homelab__hosts-/,
    );
    expect(said).toContain(
      'HA rule theirs of others keeps vm:151 on pve3; to disable it: ha-manager rules set node-affinity theirs --disable 1',
    );
    expect(said).toContain(
      'HA rule together of others keeps vm:141, vm:142 together: oxherd_homelab__spread is left',
    );
    expect(said).not.toContain('HA rule off');
  });

  it('in state error are left as they are, and the commands that clear it are said', () => {
    const config = wanted(HA);
    const { resources = {}, ...rest } = applied(config);
    const changed = { ...resources, 'vm:151': { ...resources['vm:151'], failback: '1' } };
    const services = { 'vm:151': 'error', 'vm:1510': 'error', 'vm:141': 'started' };
    const { steps, notes } = plan(config, there(config, { resources: changed, services, ...rest }));
    expect(steps).toEqual([]);
    expect(notes.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /HA has given up on VM 151 .*: ha-manager set vm:151 --state disabled .*: ha-manager set vm:151 --state started$/,
      ),
      expect.stringMatching(/ha-manager set vm:1510 --state stopped$/),
    ]);
  });

  it('are removed with `ha`, rules first; those of others stay', () => {
    const before = applied(wanted(HA));
    const resources = { ...before.resources, 'vm:900': { state: 'started' } };
    const { steps } = plan(PLAIN, there(PLAIN, { ...before, resources }));
    expect(new Set(steps.map(({ kind }) => kind))).toEqual(new Set(['remove-ha-rule', 'remove-ha-resource']));
    expect(steps.some(({ id }) => id.endsWith('vm:900'))).toBe(false);
    expect(steps.find(({ kind }) => kind === 'remove-ha-resource')?.needs.length).toBeGreaterThan(0);
  });

  it('are left as they are where a host has Proxmox VE 8', () => {
    const observed = there(PLAIN);
    const hosts = {
      ...observed.hosts,
      pve1: { name: 'pve1', online: true, version: '9.2.1' },
      pve2: { name: 'pve2', online: true, version: '8.4.1' },
    };
    const { steps, notes } = plan(wanted(HA), { ...observed, hosts });
    expect(steps).toEqual([]);
    expect(notes.map(({ message }) => message).join()).toContain('pve2 runs 8.4.1');
  });

  it('are left as they are where there are no rules', () => {
    const rules: ObservedHa['rules'] = unknown("Method 'GET /cluster/ha/rules' not implemented");
    const { steps, notes } = plan(wanted(HA), there(PLAIN, { rules }));
    expect(steps).toEqual([]);
    expect(notes.map(({ message }) => message).join()).toContain('could not be read');
  });

  it('are told as commands where the token may not', () => {
    const observed = there(PLAIN, {}, { permissions: known(everywhere(['Sys.Audit'])) });
    const { steps, notes } = plan(wanted(HA), observed);
    expect(steps).toEqual([]);
    expect(notes[0]?.message).toContain("ha-manager add vm:151 --state 'started'");
  });

  it('need disks that every host sees', () => {
    const local = builtProxmox(PLAIN);
    const { problems } = plan(wanted(HA), { ...there(PLAIN), storages: local.storages });
    expect(problems[0]?.message).toMatch(/has `ha`, but disks that only pve1 sees: .*ephemeral on local-zfs/);
  });

  it('need as many hosts as control planes that are kept apart', () => {
    const { problems } = plan(wanted({ ...HA, hosts: ['pve1', 'pve2'], strict: true }), there(PLAIN));
    expect(problems.map(({ code }) => code)).toEqual(['ha-spread']);
  });
});
