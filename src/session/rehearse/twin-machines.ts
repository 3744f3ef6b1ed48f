/** The machines of a twin and their etcd: those of the config, and those that it no longer has. */

import type { Config } from '../../config/config.js';
import type { Design, NodeDesign } from '../../design/design.js';
import type { ManagedObject } from '../../design/kubernetes/managed-object.js';
import { withHiddenValues } from '../../design/machine-config/hidden-values.js';
import { vmConfigOf } from '../../formats/proxmox/vm-config.js';
import type { TwinMachine, TwinState } from '../../lab/twin/twin-state.js';
import type { Known, Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import type { Observation } from './observation.js';
import { withTwinSecrets } from './twin-secrets.js';

export interface TwinParts {
  readonly config: Config;
  readonly design: Design;
  readonly secrets: TalosSecrets;
  /** What oxherd applies to the cluster. */
  readonly objects: readonly ManagedObject[];
  /** The config that a node should have, for machines that could not be asked for theirs. */
  readonly configOf: (node: string) => string;
  /** Its hash, which does not depend on the secrets. */
  readonly hashOf: (node: string) => string | undefined;
}

export function machinesOf(observation: Observation, parts: TwinParts): TwinMachine[] {
  return [
    ...parts.design.nodes.flatMap((node) => machineOf(node, observation, parts)),
    ...formerMachines(observation, parts),
  ];
}

function machineOf(node: NodeDesign, observation: Observation, parts: TwinParts): TwinMachine[] {
  const { observed } = observation;
  const vm = visibleVm(observed, node.talosVm.vmid);
  if (!vm?.config.known) return [];
  const seen = Object.values(observation.machines).find(({ vmid }) => vmid === node.talosVm.vmid);
  const machine = observed.machines[node.name];
  const details = machine?.details.known ? machine.details.value : undefined;
  const config = configFor(node.name, seen?.config, details?.config, parts);
  const member = seen?.member === undefined ? memberOf(node, observed) : decimal(seen.member);
  return [
    {
      vmid: node.talosVm.vmid,
      version: seen?.version ?? node.talosVersion,
      schematic: seen?.schematic ?? node.schematicId,
      ...(machine?.presence !== 'maintenance' && { config }),
      ...(seen?.staged !== undefined && { staged: withTwinSecrets(seen.staged, parts.secrets) }),
      volumes: seen?.volumes ?? volumesBySlot(node, vm),
      ...(member !== undefined && { member }),
      silent: machine?.presence === 'absent',
    },
  ];
}

/** Machines that the config no longer has and that still run. */
function formerMachines({ machines }: Observation, { design, secrets }: TwinParts): TwinMachine[] {
  const named = new Set<number>(design.nodes.map(({ talosVm }) => talosVm.vmid));
  return Object.values(machines)
    .filter(({ vmid }) => !named.has(vmid))
    .map(({ vmid, version, schematic = '', member, config, volumes }) => ({
      vmid,
      version,
      schematic,
      config: withTwinSecrets(config, secrets),
      volumes,
      ...(member !== undefined && { member: decimal(member) }),
      silent: false,
    }));
}

/** A machine whose config is the one it should have gets that one: a saved observation has no values in it. */
function configFor(
  node: string,
  seen: string | undefined,
  view: Known<{ readonly hash: string }> | undefined,
  { secrets, configOf, hashOf }: TwinParts,
): string {
  if (seen === undefined) return configOf(node);
  if (view?.known && hashOf(node) === view.value.hash) return configOf(node);
  return withTwinSecrets(withHiddenValues(seen, configOf(node)), secrets);
}

/** Of a machine that is off: its volumes are on the drives that carry their identities. */
function volumesBySlot(node: NodeDesign, { config }: ObservedVm): TwinMachine['volumes'] {
  if (!config.known) return {};
  const { byWwn } = vmConfigOf(config.value);
  return Object.fromEntries(
    node.drives.flatMap(({ name, kind, wwn, size }) => {
      const slot = byWwn.get(wwn)?.slot;
      if (slot === undefined || kind === 'os') return [];
      const id = kind === 'volume' ? `u-${name}` : 'EPHEMERAL';
      return [[id, { slot, size: Number(size) }] as const];
    }),
  );
}

function decimal(hex: string): string {
  return BigInt(`0x${hex}`).toString();
}

/** Of a control plane that does not answer: the others know its member by its name. */
function memberOf(node: NodeDesign, observed: Observed): string | undefined {
  if (node.role !== 'controlplane') return undefined;
  const short = node.name.split('.')[0];
  const known = viewsOf(observed).flatMap(({ members }) => members);
  const found = known.find(({ hostname }) => hostname === node.name || hostname === short);
  return found && decimal(found.id);
}

function viewsOf(observed: Observed) {
  return Object.values(observed.machines).flatMap(({ details }) =>
    details.known && details.value.etcd?.known ? [details.value.etcd.value] : [],
  );
}

export function etcdOf(design: Design, observed: Observed): TwinState['etcd'] | undefined {
  const [view] = viewsOf(observed).filter(({ members }) => members.length > 0);
  if (!view) return undefined;
  const ipOf = (hostname: string) =>
    design.nodes.find(({ name }) => name === hostname || name.split('.')[0] === hostname)?.ip ?? '';
  return {
    members: view.members.map(({ id, hostname, learner }) => ({
      id: decimal(id),
      name: hostname,
      ip: ipOf(hostname),
      learner,
    })),
    leader: decimal(view.leader),
    alarms: [],
  };
}
