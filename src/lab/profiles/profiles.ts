/** Fixed worlds a lab can start from, by name. */
import type { LabCore } from '../lab.js';
import { DEFAULT_PCI, DEFAULT_STORAGES, defaultBridge, type LabWorld } from '../world.js';
import { recordings, recordingsMore } from './recordings.js';

export interface Profile {
  readonly summary: string;
  /** `hosts` are the names that were asked for; profiles with hosts of their own leave them aside. */
  world(hosts: readonly string[]): LabWorld;
  /** In its VMs run stand-ins with a guest agent, as when it was recorded, and no Talos. */
  readonly standIns?: true;
  /** Machines apart from the lab's own. */
  machines?(core: LabCore): Promise<ProfileMachines>;
}

export interface ProfileMachines {
  /** How to reach them, for the ready file. */
  readonly ready: Readonly<Record<string, unknown>>;
  close(): void | Promise<void>;
}

export const PROFILES = {
  empty: {
    summary: 'hosts with the storages of a fresh installation and one bridge, nothing else',
    world: (hosts) => ({
      hosts: hosts.map((name, index) => ({ name, bridges: [defaultBridge(index)], pci: DEFAULT_PCI })),
      storages: DEFAULT_STORAGES,
    }),
  },
  recordings: {
    summary: 'the host that the recorded API exchanges come from',
    world: () => recordings,
    standIns: true,
  },
  'recordings-noquorum': {
    summary: 'the same host, for the recording of a lost quorum',
    world: () => recordings,
    standIns: true,
  },
  'recordings-more': {
    summary: 'two such hosts with an HA manager, for the recordings of a cluster',
    world: () => recordingsMore,
    standIns: true,
  },
  'recordings-talos': {
    summary: 'the machines that the recorded Talos exchanges come from, with a certificate per role',
    world: () => recordings,
    async machines(core) {
      const { startRecordingsTalos } = await import('../talos/recorded/recordings-profile.js');
      const { ready, close } = await startRecordingsTalos(core);
      return { ready: { talos: ready }, close };
    },
  },
  'recordings-kubernetes': {
    summary: 'the API server that the recorded Kubernetes exchanges come from, with an admin and a viewer',
    world: () => recordings,
    async machines(core) {
      const { startRecordingsKubernetes } = await import('../kubernetes/recordings-profile.js');
      const { ready, close } = await startRecordingsKubernetes(core);
      return { ready: { kubernetes: ready }, close };
    },
  },
} as const satisfies Record<string, Profile>;

type ProfileName = keyof typeof PROFILES;

export function findProfile(name: string): Profile | undefined {
  return Object.hasOwn(PROFILES, name) ? PROFILES[name as ProfileName] : undefined;
}
