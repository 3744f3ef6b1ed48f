import { describe, expect, it } from 'vitest';
import type { Vmid, Wwn } from '../../model/identity.js';
import { StepList } from '../step-list.js';
import { planViolations } from './check-plan.js';
import type { PlanFacts } from './plan-facts.js';

const T = 151 as Vmid;
const OTHER = 152 as Vmid;
const WWN = '0x3000000000000001' as Wwn;
const at = { vmid: T, host: 'pve1', node: 'work-1', title: '', load: {} };

function facts(initial: Record<string, string> = {}, more: Partial<PlanFacts> = {}): PlanFacts {
  return {
    initial: new Map(
      Object.entries({
        [`vm ${T}`]: 'there',
        [`host ${T}`]: 'pve1',
        [`power ${T}`]: 'running',
        [`drive ${T} ${WWN}`]: 'attached',
        ...initial,
      }),
    ),
    claims: new Map(),
    nodes: new Map([['work-1', { role: 'worker', host: 'pve1', talosVmid: T, dataVmid: 1510 }]]),
    rolled: true,
    spreadHosts: true,
    ...more,
  };
}

function rules(build: (list: StepList) => void, given = facts()): string[] {
  const list = new StepList();
  build(list);
  return planViolations(list.steps, given).map(({ rule }) => rule);
}

const stop = (list: StepList, needs: string[] = []) =>
  list.add(String(T), { kind: 'stop-vm', ...at, impact: 'restart', needs });
const start = (list: StepList, needs: string[] = []) =>
  list.add(String(T), { kind: 'start-vm', ...at, impact: 'none', needs });
const detach = (list: StepList, needs: string[] = []) =>
  list.add('d', { kind: 'detach-drive', ...at, impact: 'none', slot: 'scsi1', wwn: WWN, volume: 'v', needs });
const reboot = (list: StepList, needs: string[] = []) =>
  list.add('work-1', {
    ...at,
    kind: 'reboot-machine',
    impact: 'restart',
    ip: '10.0.0.1',
    role: 'worker',
    configHash: 'h',
    needs,
  });
const attach = (list: StepList, needs: string[] = []) =>
  list.add('d', {
    ...at,
    kind: 'attach-drive',
    impact: 'none',
    dataVmid: 1510 as Vmid,
    drive: { slot: 'scsi1', name: 'd', wwn: WWN, options: {} },
    needs,
  });

describe('the check of a plan', () => {
  it('lets a stop, what needs it, and a start pass', () => {
    expect(rules((list) => start(list, [attach(list, [detach(list, [stop(list)])])]))).toEqual([]);
  });

  it('names the steps that wait for each other, and those that are not there', () => {
    const list = new StepList();
    const first = stop(list);
    const second = start(list, [first]);
    list.addNeeds([first], second);
    expect(planViolations(list.steps, facts())).toMatchObject([
      { rule: 'cycle', steps: ['stop-vm:151', 'start-vm:151', 'stop-vm:151'] },
    ]);
    expect(rules((other) => stop(other, ['start-vm:9']))).toEqual(['need']);
  });

  it('refuses to reboot or detach what is not as it must be', () => {
    expect(rules((list) => reboot(list, [stop(list)]))).toEqual(['state']);
    expect(rules((list) => attach(list))).toEqual(['state']);
    expect(rules((list) => detach(list), facts({ [`drive ${T} ${WWN}`]: 'detached' }))).toEqual(['state']);
    expect(rules((list) => start(list))).toEqual(['state']);
  });

  it('refuses two steps about one thing that nothing orders', () => {
    const unordered = (list: StepList) => {
      const down = stop(list);
      detach(list, [down]);
      start(list, [down]);
      attach(list, ['detach-drive:d']);
    };
    expect(rules(unordered)).toContain('order');
  });

  it('wants every cordon of ours undone, and nodes of the cluster drained', () => {
    const begin = (list: StepList) =>
      list.add('work-1', {
        ...at,
        kind: 'begin-disruption',
        impact: 'none',
        ip: '10.0.0.1',
        role: 'worker',
        controlPlanes: [],
        outage: false,
        others: [],
        maxAway: 1,
        gates: [],
      });
    expect(rules(begin)).toEqual(['cordon']);
    expect(rules((list) => start(list, [stop(list)]), facts({ 'cordon work-1': 'none' }))).toEqual(['drain']);
  });

  it('lets no two running VMs have one address', () => {
    const given = facts({ [`vm ${OTHER}`]: 'absent' }, { claims: new Map([[T, ['ip 10.0.0.1']]]) });
    const create = (list: StepList, needs: string[] = []) => {
      const made = list.add(String(OTHER), {
        ...at,
        kind: 'create-talos-vm',
        impact: 'none',
        vmid: OTHER,
        options: { ipconfig0: 'ip=10.0.0.1/24,gw=10.0.0.254' },
        auxiliary: {},
        drives: [],
        attach: [],
      });
      list.add(String(OTHER), {
        ...at,
        kind: 'start-vm',
        impact: 'none',
        vmid: OTHER,
        needs: [made, ...needs],
      });
    };
    const destroy = (list: StepList) =>
      list.add(String(T), { ...at, kind: 'destroy-talos-vm', impact: 'remove', volids: [] });
    expect(rules((list) => create(list), given)).toEqual(['claim']);
    expect(rules((list) => create(list, [destroy(list)]), given)).toEqual([]);
  });

  it('wants a snapshot before a control plane is removed', () => {
    const retire = (list: StepList, needs: string[] = []) =>
      list.add('141', {
        kind: 'retire-node',
        node: 'cp-1',
        title: '',
        impact: 'remove',
        vmid: 141 as Vmid,
        role: 'controlplane',
        members: [],
        staying: [],
        others: [],
        gates: [],
        drain: { timeoutSeconds: 1, deleteLocalData: true, force: false },
        needs,
      });
    const snapshot = (list: StepList) =>
      list.add('etcd', { kind: 'take-snapshot', title: '', impact: 'none', controlPlanes: [] });
    expect(rules((list) => retire(list))).toEqual(['state']);
    expect(rules((list) => retire(list, [snapshot(list)]))).toEqual([]);
  });

  it('counts the nodes that could be unavailable together', () => {
    const disrupted = (list: StepList, name: string, maxAway: number, needs: string[] = []) => {
      const common = { ...at, node: name, vmid: (name.charCodeAt(0) + 100) as Vmid, ip: '10.0.0.1' };
      const begin = list.add(name, {
        ...common,
        kind: 'begin-disruption',
        impact: 'none',
        role: 'worker',
        controlPlanes: [],
        outage: false,
        others: [],
        maxAway,
        gates: [],
        needs,
      });
      return list.add(name, {
        ...common,
        kind: 'end-disruption',
        impact: 'none',
        role: 'worker',
        needs: [begin],
      });
    };
    const one = (list: StepList) => disrupted(list, 'b', 1, [disrupted(list, 'a', 1)]);
    expect(rules(one)).toEqual([]);
    expect(rules((list) => [disrupted(list, 'a', 1), disrupted(list, 'b', 1)])).toEqual(['unavailable']);
    expect(rules((list) => ['a', 'b'].map((name) => disrupted(list, name, 2)))).toEqual([]);
    expect(rules((list) => ['a', 'b', 'c'].map((name) => disrupted(list, name, 2)))).toEqual(['unavailable']);
  });

  it('lets one node at a time restart a component, and none while another is removed', () => {
    const turn = (list: StepList, node: string, needs: string[] = []) =>
      list.add(node, {
        kind: 'change-config',
        node,
        title: '',
        impact: 'component',
        ip: '10.0.0.1',
        configHash: 'b',
        fromHash: 'a',
        mode: 'try',
        diff: '',
        needs,
      });
    const remove = (list: StepList, needs: string[] = []) =>
      list.add('152', {
        kind: 'retire-node',
        node: 'work-2',
        title: '',
        impact: 'remove',
        vmid: 152 as Vmid,
        role: 'worker',
        members: [],
        staying: [],
        others: ['work-1'],
        gates: [],
        drain: { timeoutSeconds: 1, deleteLocalData: true, force: false },
        needs,
      });
    expect(rules((list) => [turn(list, 'a'), turn(list, 'b')])).toEqual(['unavailable']);
    expect(rules((list) => turn(list, 'b', [turn(list, 'a')]))).toEqual([]);
    expect(rules((list) => [turn(list, 'a'), remove(list)])).toEqual(['unavailable']);
    expect(rules((list) => remove(list, [turn(list, 'a')]))).toEqual([]);
  });

  it('wants manifests from URLs after the configs of control planes, which name them, and no others', () => {
    const changed = (list: StepList, ip: string) =>
      list.add(ip, {
        kind: 'change-config',
        node: ip,
        title: '',
        impact: 'live',
        ip,
        configHash: 'b',
        fromHash: 'a',
        mode: 'no-reboot',
        diff: '',
      });
    const sync = (list: StepList, needs: string[] = []) =>
      list.add('urls', {
        kind: 'sync-manifests',
        title: '',
        impact: 'live',
        controlPlanes: ['10.0.0.1'],
        urls: ['https://example.org/a.yaml'],
        needs,
      });
    expect(rules((list) => [changed(list, '10.0.0.2'), sync(list)])).toEqual([]);
    expect(rules((list) => [changed(list, '10.0.0.1'), sync(list)])).not.toEqual([]);
    expect(rules((list) => sync(list, [changed(list, '10.0.0.1')]))).toEqual([]);
  });
});
