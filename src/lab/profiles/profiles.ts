/** Fixed worlds a lab can start from, by name. */
import { DEFAULT_STORAGES, defaultBridge, type LabWorld } from '../world.js';
import { recordings } from './recordings.js';

export interface Profile {
  readonly summary: string;
  /** `hosts` are the names that were asked for; profiles with hosts of their own leave them aside. */
  world(hosts: readonly string[]): LabWorld;
}

export const PROFILES = {
  empty: {
    summary: 'hosts with the storages of a fresh installation and one bridge, nothing else',
    world: (hosts) => ({
      hosts: hosts.map((name, index) => ({ name, bridges: [defaultBridge(index)] })),
      storages: DEFAULT_STORAGES,
    }),
  },
  recordings: {
    summary: 'the host that the recorded API exchanges come from',
    world: () => recordings,
  },
  'recordings-noquorum': {
    summary: 'the same host, for the recording of a lost quorum',
    world: () => recordings,
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof PROFILES;

export function findProfile(name: string): Profile | undefined {
  return Object.hasOwn(PROFILES, name) ? PROFILES[name as ProfileName] : undefined;
}
