/** Something of a cluster that a page reads for itself, and reads again when the cluster changed. */
import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import type { ErrorView } from '../../api.js';
import { ask } from './client.js';
import { place } from './router.js';
import { changes, failed } from './store.js';

interface Resource<T> {
  readonly value?: T;
  readonly error?: ErrorView;
  readonly isLoading: boolean;
}

/** `path` below the cluster's own; read inside, so that signals in it make it read again. */
export function useResource<T>(path: () => string, again: ReadonlySignal<number> = changes): Resource<T> {
  const resource = useSignal<Resource<T>>({ isLoading: true });
  useSignalEffect(() => {
    const { cluster } = place.value;
    const wanted = path();
    again.value;
    if (cluster === undefined) return;
    const stop = new AbortController();
    ask<T>(`/api/clusters/${cluster}${wanted}`, undefined, stop.signal)
      .then((value) => {
        resource.value = { value, isLoading: false };
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) resource.value = { error: failed(error), isLoading: false };
      });
    return () => stop.abort();
  });
  return resource.value;
}
