import type { Calls } from './calls.js';
import { talosError } from './classify.js';
import { State } from './gen/cosi/resource/state_pb.js';
import { readEvent, readResource } from './read-resource.js';
import type { ResourceEvent, ResourceKind, TalosResource } from './resources.js';

/** The resources that a machine's controllers keep (COSI). */
export interface TalosState {
  /** `undefined`: there is no such resource. */
  get(kind: ResourceKind, id: string): Promise<TalosResource | undefined>;
  list(kind: ResourceKind): Promise<TalosResource[]>;
  watch(kind: ResourceKind, options?: { id?: string; signal?: AbortSignal }): AsyncIterable<ResourceEvent>;
}

export function talosState(calls: Calls): TalosState {
  const state = () => calls.connection.client(State);
  return {
    async get(kind, id) {
      try {
        const answer = await calls.read((o) => state().get({ ...kind, id }, o));
        return readResource(answer.resource);
      } catch (error) {
        if (talosError(error, calls.connection.where).code === 'talos.not-found') return undefined;
        throw error;
      }
    },
    list: (kind) =>
      calls.read(async (o) => {
        const found: TalosResource[] = [];
        for await (const { resource } of state().list(kind, o)) found.push(readResource(resource));
        return found;
      }),
    async *watch(kind, { id, signal } = {}) {
      const request = {
        ...kind,
        ...(id === undefined ? { options: { bootstrapContents: true } } : { id }),
        apiVersion: 1,
      };
      const stream = calls.stream((o) => state().watch(request, o), signal ? { signal } : {});
      for await (const { event } of stream) {
        for (const one of event) {
          const read = readEvent(one);
          if (read) yield read;
        }
      }
    },
  };
}
