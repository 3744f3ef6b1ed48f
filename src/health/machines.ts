/** The machines as their Talos API shows them. */
import type { Design, NodeDesign } from '../design/design.js';
import { drivesWithoutIdentity } from '../design/disk-identity.js';
import { documentsIn } from '../formats/redact/redacted-documents.js';
import { volumeKeys } from '../formats/talos/volume-encryption.js';
import { wwidOf } from '../model/identity.js';
import type { Observed } from '../observe/observed.js';
import { stoppedComponents } from '../observe/observed-components.js';
import type { MachineDetails, ObservedMachine } from '../observe/observed-machines.js';
import { type Condition, conditionsOf, type Layer } from './condition.js';

/** What each node's config should hash to; absent while there are no secrets. */
export type WantedConfigs = Readonly<Record<string, string>>;

export function machineConditions(design: Design, observed: Observed, wanted: WantedConfigs): Condition[] {
  return design.nodes.flatMap((node) => {
    const machine = observed.machines[node.name];
    const answers = answering(node, machine);
    const details = machine?.details.known ? machine.details.value : undefined;
    if (!details) return [answers];
    return [
      answers,
      ready(node, details),
      services(node, details),
      time(node, details),
      version(node, details),
      components(node, observed),
      ...(wanted[node.name] === undefined ? [] : [config(node, details, wanted[node.name] ?? '')]),
      ...volumes(node, details),
    ];
  });
}

function condition(
  node: NodeDesign,
  name: string,
  ok: boolean,
  message: string,
  advice: string,
  layer: Layer = 'machines',
): Condition {
  return conditionsOf(layer).condition(name, node.name, ok, message, advice);
}

/** A run that was cut off leaves a machine that reboots. */
const SOON = 'look again in a minute; `oxherd apply` waits for it and resumes';

function answering(node: NodeDesign, machine: ObservedMachine | undefined): Condition {
  const base = { layer: 'machines', name: 'machine-answers', subject: node.name } as const;
  switch (machine?.presence) {
    case 'configured':
      return machine.details.known
        ? { ...base, state: 'ok', message: `answers at ${node.ip}` }
        : machine.onItsWay !== undefined
          ? { ...base, state: 'failed', message: machine.onItsWay, advice: SOON }
          : {
              ...base,
              state: 'failed',
              message: machine.details.why,
              advice: 'check that the secrets file is the one this cluster was created with',
            };
    case 'maintenance':
      return { ...base, state: 'failed', message: 'it waits for its config', advice: 'run `oxherd apply`' };
    case 'absent':
      return {
        ...base,
        state: 'failed',
        message: `its VM runs, but no answer from ${node.ip}`,
        advice: `if it boots, ${SOON}; if it stays so, look at the console of VM ${node.talosVm.vmid}`,
      };
    case 'off':
      return { ...base, state: 'skipped', message: 'its VM does not run' };
    case 'unread':
      return { ...base, state: 'unknown', message: machine.details.known ? '' : machine.details.why };
    case undefined:
      return { ...base, state: 'skipped', message: 'it was not asked' };
  }
}

function ready(node: NodeDesign, { stage, ready: isReady, unmet }: MachineDetails): Condition {
  const why = unmet.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
  return condition(
    node,
    'machine-ready',
    stage === 'running' && isReady,
    stage === 'running' ? (isReady ? 'running and ready' : `not ready: ${why}`) : `it is ${stage}`,
    `talosctl -n ${node.ip} get machinestatus; talosctl -n ${node.ip} services`,
  );
}

function services(node: NodeDesign, details: MachineDetails): Condition {
  const ill = details.services.filter(
    (service) => service.health === 'unhealthy' || /fail/i.test(service.state),
  );
  return condition(
    node,
    'services-healthy',
    ill.length === 0,
    ill.length === 0
      ? `${details.services.length} services`
      : ill.map((service) => `${service.id}: ${service.message || service.state}`).join('; '),
    `talosctl -n ${node.ip} logs ${ill[0]?.id ?? ''}`,
  );
}

function time(node: NodeDesign, { timeSynced }: MachineDetails): Condition {
  if (!timeSynced.known || timeSynced.value === undefined) {
    return {
      layer: 'machines',
      name: 'time-synced',
      subject: node.name,
      state: 'unknown',
      message: timeSynced.known ? 'the machine did not say' : timeSynced.why,
    };
  }
  return condition(
    node,
    'time-synced',
    timeSynced.value,
    timeSynced.value ? 'its clock is set' : 'its clock is not set',
    'see whether the NTP servers can be reached',
  );
}

function version(node: NodeDesign, { talosVersion }: MachineDetails): Condition {
  return condition(
    node,
    'talos-version',
    talosVersion === node.talosVersion,
    talosVersion === node.talosVersion
      ? talosVersion
      : `runs ${talosVersion}, oxherd.yaml says ${node.talosVersion}`,
    'run `oxherd plan`',
  );
}

/** A config is what was asked for: what runs decides. */
function components(node: NodeDesign, observed: Observed): Condition {
  const stopped = Object.entries(stoppedComponents(node, observed));
  return condition(
    node,
    'kubernetes-runs',
    stopped.length === 0,
    stopped.length === 0
      ? 'Kubernetes runs as its config names it'
      : stopped.map(([part, why]) => `${part}: ${why}`).join('; '),
    'run `oxherd plan`: it shows the open step and how to continue',
  );
}

function config(node: NodeDesign, details: MachineDetails, wanted: string): Condition {
  if (!details.config.known) {
    return {
      layer: 'machines',
      name: 'config-current',
      subject: node.name,
      state: 'unknown',
      message: details.config.why,
    };
  }
  const same = details.config.value.hash === wanted;
  return condition(
    node,
    'config-current',
    same,
    same ? 'its config matches oxherd.yaml' : 'its config differs from oxherd.yaml',
    'run `oxherd plan` for the difference',
  );
}

/** Every kept volume ready, and on the disk that carries its identity. */
function volumes(node: NodeDesign, details: MachineDetails): Condition[] {
  const wanted = node.drives
    .filter((drive) => drive.kept)
    .map((drive) => ({
      id: drive.kind === 'ephemeral' ? 'EPHEMERAL' : `u-${drive.name}`,
      wwid: wwidOf(drive.wwn),
    }));
  const conditions = wanted.map(({ id, wwid }) => {
    const volume = details.volumes.find((candidate) => candidate.id === id);
    const ok = volume?.phase === 'ready' && (volume.wwid === undefined || volume.wwid === wwid);
    const message = !volume
      ? `${id} is missing`
      : volume.phase !== 'ready'
        ? `${id} is ${volume.phase}${volume.error ? `: ${volume.error}` : ''}`
        : volume.wwid === undefined
          ? `${id} is ready`
          : ok
            ? `${id} is ready on its own disk`
            : `${id} is on another disk than its own (${volume.wwid})`;
    return condition(
      node,
      'volume-ready',
      ok,
      message,
      `talosctl -n ${node.ip} get volumestatus ${id}`,
      'volumes',
    );
  });
  return [...conditions, ...keysOfVolumes(node, details), ...withoutIdentity(node, details)];
}

/**
 * Talos opens a volume with the first key slot that fits, then writes the others as the config says. A slot that could not
 * be written, or did not open the volume, is a key that will be missing when it is needed.
 */
function keysOfVolumes(node: NodeDesign, { config, volumes }: MachineDetails): Condition[] {
  if (!volumes.some(({ encryption }) => encryption)) return [];
  const keys = volumeKeys(config.known ? documentsIn(config.value.redacted) : []);
  return volumes.flatMap(({ id, encryption }) => {
    if (!encryption) return [];
    const { slot, failedSyncs } = encryption;
    const earlier = (keys.get(id) ?? []).map((key) => key.slot).filter((one) => one < slot);
    if (failedSyncs.length > 0)
      return [
        condition(
          node,
          'volume-keys',
          false,
          `${id} was opened by key slot ${slot}, and Talos could not write the others: ${failedSyncs.join('; ')}`,
          `correct the keys of ${id}, then restart the node: oxherd restart ${node.name}`,
          'volumes',
        ),
      ];
    return [
      condition(
        node,
        'volume-keys',
        earlier.length === 0,
        earlier.length === 0
          ? `${id} was opened by key slot ${slot}`
          : `${id} was opened by key slot ${slot}: the key of slot ${earlier.join(', ')} did not fit at the last boot and was written then`,
        `keep the old keys until slot ${earlier[0]} has opened ${id}: oxherd restart ${node.name}`,
        'volumes',
      ),
    ];
  });
}

/** A WWN that was written to the drive of a running VM is seen by the guest after a stop and start, not after a reboot. */
function withoutIdentity(node: NodeDesign, details: MachineDetails): Condition[] {
  const bare = drivesWithoutIdentity(node.drives, details.volumes);
  if (bare.length === 0) return [];
  const names = bare.map(({ name }) => name).join(', ');
  return [
    {
      layer: 'volumes',
      name: 'disk-identity',
      subject: node.name,
      state: 'note',
      message: `${bare.length === 1 ? 'a disk has' : `${bare.length} disks have`} no WWN in the guest (${names}); it comes when VM ${node.talosVm.vmid} is stopped and started`,
      advice: `oxherd restart ${node.name}`,
    },
  ];
}
