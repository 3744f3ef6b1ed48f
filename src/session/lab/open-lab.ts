/**
 * The lab of `--lab`: the one that serves on this folder's state if there is one, else one in this process whose time
 * is driven by whoever waits. Its state is in `.oxherd/lab`.
 */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../../config/config.js';
import { findServingLab, type ServingLab } from '../../lab/control.js';
import type { Fault } from '../../lab/faults.js';
import { startLab } from '../../lab/index.js';
import { type LabPartsOptions, labParts } from '../../lab/parts.js';
import { findProfile, PROFILES } from '../../lab/profiles/profiles.js';
import { folderState, REAL_KUBERNETES } from '../../lab/state.js';
import type { LabWorld } from '../../lab/world.js';
import { OxherdError } from '../../model/error.js';
import type { KubernetesKind } from '../../model/kubernetes-kind.js';
import { wallClock } from '../connect/wall-clock.js';
import type { LabTarget, Place, SessionContext } from '../context.js';
import { readFault } from './edit-lab.js';
import { leasesOf, worldOf } from './lab-world.js';

/** Machines and their Kubernetes leave much garbage: from so many nodes on it is collected before the heap has grown by more than half. */
const MANY_NODES = 200;

export async function openLab(context: SessionContext, target: LabTarget, config: Config): Promise<Place> {
  const faults = (target.faults ?? []).map(readFault);
  const folder = join(context.cwd, '.oxherd', 'lab');
  const serving = findServingLab(folder);
  if (serving) return useServingLab(serving, faults);
  // Before the state is touched: it may name a profile that does not exist.
  const world = worldFor(target, config);
  if (config.nodes.length >= MANY_NODES) setFlagsFromString('--heap-growing-percent=50');
  const lab = await startLab({
    state: await folderState(folder),
    world,
    faults,
    parts: labParts({
      leases: leasesOf(config),
      factories: [config.talos.factory],
      kubernetes: labKubernetes(target.kubernetes, context.env, folder),
      notice: labNotice(context),
    }),
  });
  return {
    connection: {
      endpoints: [lab.endpoint],
      token: lab.token,
      tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    },
    clock: lab.clock,
    dial: (ip, port) => lab.dial(ip, port),
    close: () => lab.stop(),
  };
}

/** A real Kubernetes keeps its data beside the rest of the lab. */
export function labKubernetes(
  kind: KubernetesKind | undefined,
  env: SessionContext['env'],
  folder: string,
): NonNullable<LabPartsOptions['kubernetes']> {
  return { kind, path: env.PATH, folder: join(folder, REAL_KUBERNETES) };
}

/** What does not work in the lab is said once. */
export function labNotice({ tell }: Pick<SessionContext, 'tell'>): (text: string) => void {
  const said = new Set<string>();
  return (text) => {
    if (!said.has(text)) tell({ kind: 'progress', message: `lab: ${text}` });
    said.add(text);
  };
}

/** Its time follows the wall; faults asked for here are switched on there and off again at the end. */
async function useServingLab(serving: ServingLab, faults: readonly Fault[]): Promise<Place> {
  const address = await serving.address();
  for (const fault of faults) await serving.switchFault({ ...fault, on: true });
  return {
    connection: {
      endpoints: [address.endpoint],
      token: address.token,
      tls: { kind: 'fingerprint', sha256: address.fingerprint },
    },
    clock: wallClock,
    dial: (ip, port) => address.names[`${ip}:${port}`] ?? serving.dial(ip, port),
    async close() {
      for (const fault of faults) await serving.switchFault({ ...fault, on: false });
    },
  };
}

function worldFor({ profile: name }: LabTarget, config: Config): LabWorld {
  if (name === undefined) return worldOf(config);
  const profile = findProfile(name);
  if (profile) return profile.world(worldOf(config).hosts.map((host) => host.name));
  throw new OxherdError('lab.profile', `there is no lab profile ${name}`, {
    advice: `profiles are: ${Object.keys(PROFILES).join(', ')}`,
  });
}
