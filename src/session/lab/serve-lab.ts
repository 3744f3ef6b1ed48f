/** A lab that other programs reach, until it is closed. */
import type { Config } from '../../config/config.js';
import { addressOf, type LabAddress, startControl } from '../../lab/control.js';
import { startLab } from '../../lab/index.js';
import { publicNetwork } from '../../lab/network.js';
import { labParts } from '../../lab/parts.js';
import { findProfile, PROFILES, type Profile, type ProfileMachines } from '../../lab/profiles/profiles.js';
import { folderState } from '../../lab/state.js';
import type { LabWorld } from '../../lab/world.js';
import { OxherdError } from '../../model/error.js';
import type { KubernetesKind } from '../../model/kubernetes-kind.js';
import type { SessionContext } from '../context.js';
import { leasesOf, worldOf } from './lab-world.js';
import { labKubernetes, labNotice } from './open-lab.js';

export interface ServeOptions {
  readonly folder: string;
  readonly port: number;
  /** How many seconds of the lab pass in one. */
  readonly speed: number;
  readonly token?: string;
  readonly kubernetes?: KubernetesKind;
  /** What an empty state is filled with. */
  readonly world:
    | { readonly config: Config }
    | { readonly profile: string; readonly hosts: readonly string[] };
}

export interface ServedLab {
  readonly address: LabAddress;
  /** What the machines of a profile have to say, such as where they are reached. */
  readonly more: ProfileMachines['ready'];
  close(): Promise<void>;
}

export async function serveLab(
  context: Pick<SessionContext, 'env' | 'tell'>,
  options: ServeOptions,
): Promise<ServedLab> {
  const { folder, port, speed, token } = options;
  const { world, leases, profile } = chooseWorld(options.world);
  const state = await folderState(folder);
  const lab = await startLab({
    state,
    world,
    speed,
    port,
    network: publicNetwork(),
    parts: labParts({
      ...(leases && { leases }),
      ...('config' in options.world && { factories: [options.world.config.talos.factory] }),
      machines: profile?.standIns !== true,
      kubernetes: labKubernetes(options.kubernetes, context.env, folder),
      notice: labNotice(context),
    }),
    ...(token !== undefined && { token }),
  });
  const machines = await profile?.machines?.(lab.core);
  const control = await startControl(lab);
  state.lock.announce(control);
  return {
    address: addressOf(lab),
    more: machines?.ready ?? {},
    async close() {
      await control.close();
      await machines?.close();
      await lab.stop();
    },
  };
}

interface Chosen {
  readonly world: LabWorld;
  readonly leases?: ReturnType<typeof leasesOf>;
  readonly profile?: Profile;
}

function chooseWorld(given: ServeOptions['world']): Chosen {
  if ('config' in given) return { world: worldOf(given.config), leases: leasesOf(given.config) };
  const profile = findProfile(given.profile);
  if (profile) return { world: profile.world(given.hosts), profile };
  throw new OxherdError('lab.profile', `there is no lab profile ${given.profile}`, {
    advice: `profiles are: ${Object.keys(PROFILES).join(', ')}`,
  });
}
