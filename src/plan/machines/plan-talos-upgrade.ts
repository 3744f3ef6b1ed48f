/** Machines that run another Talos than oxherd.yaml says: upgraded one minor at a time, in place or by a new system disk. */

import type { NodeDesign } from '../../design/design.js';
import { configMark } from '../../design/machine-config/config-mark.js';
import { compareVersions, formatMinor, parseVersion } from '../../model/version.js';
import type { MachineDetails } from '../../observe/observed-machines.js';
import { type Author, driftOf } from '../drift/drift-authors.js';
import { addressNow, isReaddressed } from '../facts/address-now.js';
import { changesMac } from '../facts/option-changes.js';
import { machineUuid } from '../facts/renamed-nodes.js';
import { unknownToTalos } from '../facts/unknown-to-talos.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { drafted, type Planned } from '../planned.js';
import type { Step } from '../steps.js';

export function planTalosUpgrades(given: PlanContext, nodes: readonly NodeDesign[]): Planned {
  return drafted(given, (context) => {
    const { list, observed, problems } = context;
    const outdated = nodes.flatMap((node) => {
      const machine = observed.machines[node.name];
      const details = machine?.details.known ? machine.details.value : undefined;
      return details && talosDiffers(node, details) ? [{ node, details }] : [];
    });
    const wrong = outdated.flatMap(({ node, details }) => hopProblem(node, details.talosVersion));
    if (wrong.length > 0) {
      problems.push(...wrong);
      return;
    }
    const inPlace = outdated.filter(({ node }) => !context.asked.replace.includes(node.name));
    // On all machines first: a pull that fails then disrupts no one.
    const pulls = inPlace.map(({ node }) =>
      list.add(node.name, {
        kind: 'pull-installer',
        node: node.name,
        title: `pull Talos ${node.talosVersion} on ${node.name}`,
        reasons: [node.installer],
        impact: 'none',
        ip: addressNow(node, observed),
        image: node.installer,
        schematicId: node.schematicId,
      }),
    );
    for (const { node, details } of inPlace) {
      const changes = list.steps
        .filter((step) => step.node === node.name && step.kind === 'change-config')
        .map((step) => step.id);
      // Documents that the running Talos does not know go out once it is the new one.
      const config = context.machines?.configs[node.name];
      const nic = newNic(list.steps, node.name);
      const later = nic !== undefined || unknownToTalos(config, details.talosVersion).length > 0;
      const upgrade = list.add(node.name, {
        kind: 'upgrade-talos',
        node: node.name,
        title: `upgrade Talos on ${node.name}`,
        reasons: talosChange(node, details),
        ...driftOf(
          talosChange(node, details).map((reason) => [reason, upgradeAuthor(context, node, details)]),
        ),
        impact: 'restart',
        needs: [...pulls, ...(later ? [] : changes)],
        ...machineUuid(node),
        vmid: node.talosVm.vmid,
        ip: addressNow(node, observed),
        ...(!later && changes.length > 0 && isReaddressed(node, observed) && { returnsAt: node.ip }),
        role: node.role,
        image: node.installer,
        from: details.talosVersion,
        to: node.talosVersion,
      });
      if (later) {
        list.addNeeds(changes, upgrade);
        list.moveAfter(upgrade, changes);
      }
      if (nic !== undefined) list.addNeeds([nic], upgrade);
    }
  });
}

/**
 * The upgrade boots the machine by itself: with the config that knows another MAC it would look for a NIC that is not there
 * yet, and with that NIC it could not be told to upgrade. Both come after it, for the stop and start that follows.
 */
function newNic(steps: readonly Step[], node: string): string | undefined {
  return steps.find((step) => step.kind === 'set-options' && step.node === node && changesMac(step.changes))
    ?.id;
}

/** A schematic that was not read is no reason: the plan names it as not compared. */
export function talosDiffers(node: NodeDesign, details: MachineDetails): boolean {
  return talosChange(node, details).length > 0;
}

/**
 * The config names the installer. A machine that was given the config which oxherd.yaml asks for, and runs another Talos
 * all the same, was upgraded by someone else, or an upgrade of ours did not come to its end.
 */
function upgradeAuthor({ machines }: PlanContext, node: NodeDesign, { config }: MachineDetails): Author {
  const wanted = machines?.configs[node.name];
  if (!config.known || !wanted) return undefined;
  return config.value.mark === configMark(wanted.hash) ? 'unknown' : undefined;
}

/** `Talos v1.13.9 → v1.14.1`, and the schematic where it changes. */
export function talosChange(node: NodeDesign, { talosVersion, schematic }: MachineDetails): string[] {
  return [
    ...(talosVersion === node.talosVersion ? [] : [`Talos ${talosVersion} → ${node.talosVersion}`]),
    ...(!schematic.known || schematic.value === undefined || schematic.value === node.schematicId
      ? []
      : [`schematic ${schematic.value.slice(0, 12)}… → ${node.schematicId.slice(0, 12)}…`]),
  ];
}

/** Talos supports upgrades from one minor to the next; a way back is not supported at all. */
function hopProblem(node: NodeDesign, running: string): Problem[] {
  const from = parseVersion(running);
  const to = parseVersion(node.talosVersion);
  if (!from || !to) return [];
  const base = { code: 'upgrade-hop', scope: 'plan', node: node.name } as const;
  const down = compareVersions(to, from) < 0 && (to.minor < from.minor || to.major < from.major);
  if (down) {
    return [
      {
        ...base,
        message: `${node.name} runs Talos ${running}; downgrading to ${node.talosVersion} is not supported`,
        advice: `set ${running}, or remove the node and add it again`,
      },
    ];
  }
  if (to.major === from.major && to.minor - from.minor > 1) {
    const next = { ...from, minor: from.minor + 1, patch: 0, pre: '' };
    return [
      {
        ...base,
        message: `${node.name} runs Talos ${running}; ${node.talosVersion} skips a minor version`,
        advice: `write a ${formatMinor(next)} version first and apply it, or run \`oxherd upgrade --talos ${node.talosVersion}\``,
      },
    ];
  }
  return [];
}
