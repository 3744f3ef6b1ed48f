/** HA resources and rules of the cluster: created, kept as oxherd.yaml asks, removed; those of others are left alone. */

import type { Design } from '../../design/design.js';
import { haComment, sidOf } from '../../design/ha.js';
import { isHaRuleOf } from '../../formats/marks/cluster-names.js';
import type { HaState } from '../../formats/proxmox/ha-state.js';
import type { Observed, ObservedHa } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { driftOf } from '../drift/drift-authors.js';
import { staysOff } from '../facts/drained-nodes.js';
import { mayDo, type PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import type { StepList } from '../step-list.js';
import { foreignRules } from './foreign-rules.js';
import { haProblems, oldHosts } from './ha-problems.js';
import { differing } from './ha-settings.js';
import { haStateOf } from './ha-states.js';

export function planHa(given: PlanContext): Planned {
  return drafted(given, (context) => {
    const { design, observed, problems, notes } = context;
    const { ha } = observed;
    if (!ha) return;
    if (!ha.known) {
      if (design.ha) notes.push({ code: 'unknown', message: `HA could not be read: ${ha.why}` });
      return;
    }
    const stuck = stuckVms(design, observed);
    for (const { node, message, advice } of stuck)
      notes.push({ code: 'advice', node, message: `${message}; ${advice}` });
    problems.push(...haProblems(design, observed));
    const missing = problems.some(({ code }) => code.startsWith('ha-'));
    const foreign = foreignRules(design, ha.value);
    for (const { message } of foreign) notes.push({ code: 'left-alone', message });
    const isLeft = (change: Change) =>
      change.kind === 'set-ha-rule'
        ? foreign.some(({ rule }) => rule === change.rule)
        : // Proxmox refuses every change of a resource in this state but `disabled`.
          change.kind === 'set-ha-resource' &&
          stuck.some(({ vmid, state }) => state === 'error' && sidOf(vmid) === change.sid);
    const changes = missing ? [] : differences(design, observed, ha.value).filter((one) => !isLeft(one));
    if (changes.length === 0) return;
    const readOnly = whyReadOnly(ha.value, observed);
    if (readOnly === undefined) addSteps(context, changes);
    else
      notes.push({
        code: readOnly.code,
        message: readOnly.waits
          ? `${readOnly.why}; HA is left as it is until then`
          : `${readOnly.why}; HA is left as it is:\n${changes.map((change) => `    ${commandOf(change)}`).join('\n')}`,
      });
  });
}

/** VMs of ours that HA does not touch until someone has seen to it. */
function stuckVms({ nodes }: Design, observed: Observed): (HaState & { readonly node: string })[] {
  return nodes
    .flatMap(({ name, talosVm, dataVm }) =>
      [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])].map((vmid) => ({ name, vmid })),
    )
    .flatMap(({ name, vmid }) => {
      const state = haStateOf(observed, vmid);
      return state?.blocks ? [{ ...state, node: name }] : [];
    });
}

type Settings = Readonly<Record<string, string>>;
type Change =
  | {
      readonly kind: 'set-ha-resource';
      readonly sid: string;
      readonly now?: Settings;
      readonly settings: Settings;
    }
  | { readonly kind: 'remove-ha-resource'; readonly sid: string; readonly comment: string }
  | {
      readonly kind: 'set-ha-rule';
      readonly rule: string;
      readonly type: string;
      readonly now?: Settings;
      readonly settings: Settings;
    }
  | { readonly kind: 'remove-ha-rule'; readonly rule: string };

function differences(design: Design, observed: Observed, ha: ObservedHa): Change[] {
  const { resources = {}, rules = {} } = design.ha ?? {};
  const known = ha.rules.known ? ha.rules.value : {};
  return [
    ...Object.keys(known)
      .filter(
        (rule) =>
          isHaRuleOf(design.cluster, rule) && (!rules[rule] || rules[rule].type !== known[rule]?.type),
      )
      .map((rule): Change => ({ kind: 'remove-ha-rule', rule })),
    ...Object.entries(resources).flatMap(([sid, wanted]): Change[] => {
      const now = ha.resources[sid];
      const settings = wantedState(design, observed, sid, wanted, now);
      if (now && differing(settings, now).length === 0) return [];
      return [{ kind: 'set-ha-resource', sid, settings, ...(now && { now }) }];
    }),
    ...Object.entries(rules).flatMap(([rule, { type, settings }]): Change[] => {
      const now = known[rule]?.type === type ? known[rule].settings : undefined;
      if (now && differing(settings, now).length === 0) return [];
      return [{ kind: 'set-ha-rule', rule, type, settings, ...(now && { now }) }];
    }),
    ...ownResources(design, ha)
      .filter((sid) => resources[sid] === undefined)
      .map((sid): Change => ({ kind: 'remove-ha-resource', sid, comment: haComment(design.cluster) })),
  ];
}

/** Of this cluster, by its comment. */
function ownResources(design: Pick<Design, 'cluster'>, ha: ObservedHa): string[] {
  const comment = haComment(design.cluster);
  return Object.entries(ha.resources)
    .filter(([, settings]) => settings.comment === comment)
    .map(([sid]) => sid)
    .sort();
}

/** A VM that is off is started by its own step, which tells HA; one that a host in maintenance keeps off stays so. */
function wantedState(
  { nodes }: Design,
  observed: Observed,
  sid: string,
  wanted: Settings,
  now: Settings | undefined,
): Settings {
  const node = nodes.find(({ talosVm }) => sidOf(talosVm.vmid) === sid);
  const vm = node && visibleVm(observed, node.talosVm.vmid);
  const isOff =
    node !== undefined && now !== undefined && (vm?.status !== 'running' || staysOff(node, observed));
  if (!isOff) return wanted;
  const { state: _, ...rest } = wanted;
  return rest;
}

/** Rules before the resources they no longer name; what is set comes after what stood in its way. */
function addSteps({ list, design }: Draft, changes: readonly Change[]): void {
  const removedRules: string[] = [];
  const set: string[] = [];
  for (const change of changes) {
    const id = addStep(list, design, change, { removedRules, set });
    if (change.kind === 'remove-ha-rule') removedRules.push(id);
    else if (change.kind !== 'remove-ha-resource') set.push(id);
  }
}

function addStep(
  list: StepList,
  design: Design,
  change: Change,
  { removedRules, set }: { readonly removedRules: readonly string[]; readonly set: readonly string[] },
): string {
  switch (change.kind) {
    case 'remove-ha-rule':
      return list.add(change.rule, {
        kind: 'remove-ha-rule',
        title: `remove HA rule ${change.rule}`,
        reasons: ['oxherd.yaml does not ask for it'],
        impact: 'live',
        rule: change.rule,
      });
    case 'remove-ha-resource':
      return removeResource(list, change, [...removedRules, ...set]);
    case 'set-ha-rule': {
      const reasons = change.now
        ? differing(change.settings, change.now)
        : [`${change.settings.affinity ?? change.settings.nodes}: ${change.settings.resources}`];
      return list.add(change.rule, {
        kind: 'set-ha-rule',
        ...(!change.now && { action: 'create' as const }),
        title: `${change.now ? 'change' : 'create'} HA rule ${change.rule}`,
        reasons,
        ...driftOf(reasons.map((reason) => [reason, change.now ? 'unknown' : undefined])),
        impact: 'live',
        needs: [...removedRules, ...set],
        rule: change.rule,
        type: change.type,
        settings: change.settings,
      });
    }
    case 'set-ha-resource': {
      const reasons = change.now
        ? differing(change.settings, change.now)
        : [`state ${change.settings.state}`];
      const vmid = Number(change.sid.split(':')[1]);
      const node = design.nodes.find(({ talosVm, dataVm }) => talosVm.vmid === vmid || dataVm?.vmid === vmid);
      return list.add(change.sid, {
        kind: 'set-ha-resource',
        ...(node && { node: node.name }),
        ...(!change.now && { action: 'create' as const }),
        title: `${change.now ? 'change' : 'create'} HA resource ${change.sid}`,
        reasons,
        ...driftOf(reasons.map((reason) => [reason, change.now ? 'unknown' : undefined])),
        impact: 'live',
        // HA starts what it is to keep started: not before the node is there.
        needs: list.steps.filter((step) => node !== undefined && step.node === node.name).map(({ id }) => id),
        sid: change.sid,
        settings: change.settings,
      });
    }
  }
}

function removeResource(
  list: StepList,
  { sid, comment }: { readonly sid: string; readonly comment: string },
  needs: readonly string[],
): string {
  return list.add(sid, {
    kind: 'remove-ha-resource',
    title: `remove HA resource ${sid}`,
    reasons: ['oxherd.yaml does not ask for it; the VM stays as it is'],
    impact: 'live',
    needs,
    sid,
    comment,
  });
}

/** All of it, before VMs are destroyed. */
export function planHaRemoval(design: Design, { ha }: Observed, list: StepList): string[] {
  if (!ha?.known) return [];
  const rules = Object.keys(ha.value.rules.known ? ha.value.rules.value : {})
    .filter((rule) => isHaRuleOf(design.cluster, rule))
    .map((rule) => addStep(list, design, { kind: 'remove-ha-rule', rule }, { removedRules: [], set: [] }));
  const comment = haComment(design.cluster);
  return ownResources(design, ha.value).map((sid) => removeResource(list, { sid, comment }, rules));
}

interface ReadOnly {
  readonly code: 'not-permitted' | 'left-alone';
  readonly why: string;
  /** No one can set it up now: without its rules HA would part the VMs of a node. */
  readonly waits?: boolean;
}

function whyReadOnly(ha: ObservedHa, observed: Observed): ReadOnly | undefined {
  const old = oldHosts(observed);
  if (old.length > 0)
    return {
      code: 'left-alone',
      why: `HA rules need Proxmox VE 9 on all hosts (${old.join(', ')})`,
      waits: true,
    };
  if (!ha.rules.known)
    return { code: 'left-alone', why: `HA rules could not be read: ${ha.rules.why}`, waits: true };
  if (!mayDo(observed, '/', 'Sys.Console'))
    return {
      code: 'not-permitted',
      why: 'the API token cannot change HA (Sys.Console on /); see `oxherd doctor`, or run as admin',
    };
  return undefined;
}

function commandOf(change: Change): string {
  const options = (settings: Settings) =>
    Object.entries(settings)
      .map(([key, value]) => ` --${key} '${value}'`)
      .join('');
  switch (change.kind) {
    case 'remove-ha-rule':
      return `ha-manager rules remove ${change.rule}`;
    case 'remove-ha-resource':
      return `ha-manager remove ${change.sid}`;
    case 'set-ha-resource':
      return `ha-manager ${change.now ? 'set' : 'add'} ${change.sid}${options(change.settings)}`;
    case 'set-ha-rule':
      return `ha-manager rules ${change.now ? 'set' : 'add'} ${change.type} ${change.rule}${options(change.settings)}`;
  }
}
