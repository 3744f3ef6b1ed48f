/**
 * All changes of one node in one order, so that it is drained once and its VM stops once: what a running machine must be
 * told comes first, then the upgrade, then the stop with everything that needs a VM that is off, then the start.
 */

import type { NodeDesign } from '../../design/design.js';
import { changesMac } from '../facts/option-changes.js';
import { StepOrder } from '../facts/step-order.js';
import type { PlanContext } from '../input.js';
import { drafted, type Planned } from '../planned.js';
import type { StepList } from '../step-list.js';
import type { Step, StepKind, StepOf } from '../steps.js';

export function orderNodeChanges(given: PlanContext, { name }: NodeDesign): Planned {
  return drafted(given, ({ list }) => {
    const find = <K extends StepKind>(kind: K) =>
      list.steps.find((step): step is StepOf<K> & Step => step.kind === kind && step.node === name);
    const upgrade = find('upgrade-talos');
    const away = find('stop-vm') ?? find('restart-vm') ?? find('replace-os-disk');
    const back = find('start-vm') ?? find('restart-vm');
    // A VM that was off before has nothing to be told, and starts anyway.
    const first = upgrade ?? away ?? find('reboot-machine');
    if (upgrade && away) list.addNeeds([away.id], upgrade.id);
    tellBefore(list, name, upgrade, away, first);
    tellBeforeNicChanges(list, name);
    rebootOnce(list, find('reboot-machine'), away ? back : upgrade);
    const closed = find('reboot-machine') ?? back ?? upgrade ?? find('change-config');
    detachParked(list, name, find('stop-vm') ?? find('replace-os-disk'), find('start-vm'), closed);
  });
}

/** A config goes to a machine that runs; one that waits for the upgrade goes out between the two. */
function tellBefore(
  list: StepList,
  name: string,
  upgrade: Step | undefined,
  away: Step | undefined,
  first: Step | undefined,
): void {
  const moves = list.steps.some((step) => step.kind === 'migrate-vm' && step.node === name);
  for (const step of [...list.steps]) {
    if (step.kind !== 'change-config' || step.node !== name) continue;
    // What names the host goes out once the node is there.
    if (step.mode !== 'staged' && moves) continue;
    const order = new StepOrder(list.steps.filter((other) => other.node === name));
    const waits = upgrade !== undefined && order.isBefore(upgrade.id, step.id);
    const later = waits ? away : first;
    if (!later || order.areOrdered(step.id, later.id)) continue;
    list.addNeeds([later.id], step.id);
  }
}

/** Once its first NIC has another MAC the machine cannot be told any more until it has booted. */
function tellBeforeNicChanges(list: StepList, name: string): void {
  const nic = list.steps.find(
    (step) => step.kind === 'set-options' && step.node === name && changesMac(step.changes),
  );
  const config = list.steps.find((step) => step.kind === 'change-config' && step.node === name);
  if (nic && config) list.addNeeds([nic.id], config.id);
}

/** A machine that boots for another reason has its staged config then; the step only looks. */
function rebootOnce(
  list: StepList,
  reboot: StepOf<'reboot-machine'> | undefined,
  boot: Step | undefined,
): void {
  if (!reboot || !boot || reboot.impact === 'none') return;
  // A config that waits for the upgrade needs a boot of its own.
  const own = new StepOrder(list.steps.filter((other) => other.node === reboot.node));
  const changes = reboot.needs.filter((need) =>
    list.steps.some((step) => step.id === need && step.kind === 'change-config'),
  );
  if (changes.some((change) => own.isBefore(boot.id, change))) return;
  list.change(reboot.id, (step) => ({
    ...step,
    title: `check that ${reboot.node} runs with its config`,
    impact: 'none',
    needs: [...new Set([...step.needs, boot.id])],
  }));
  for (const need of changes) {
    const order = new StepOrder(list.steps.filter((other) => other.node === reboot.node));
    if (!order.areOrdered(need, boot.id)) list.addNeeds([boot.id], need);
  }
}

/**
 * A volume that left oxherd.yaml is mounted until its machine has stopped, has booted without it, or (from 1.14 on) has a
 * config without it. The step itself waits until the machine has closed it.
 */
function detachParked(
  list: StepList,
  name: string,
  stop: Step | undefined,
  start: Step | undefined,
  closed: Step | undefined,
): void {
  const parked = list.steps.filter(
    (step) => step.kind === 'detach-drive' && step.node === name && step.impact === 'live',
  );
  for (const { id } of parked) {
    if (stop && start) {
      list.addNeeds([id], stop.id);
      list.addNeeds([start.id], id);
      list.change(id, (step) => ({ ...step, impact: 'none' }));
    } else if (closed) {
      list.addNeeds([id], closed.id);
      list.moveAfter(closed.id, [id]);
    }
  }
}
