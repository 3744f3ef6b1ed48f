/** What the page knows: the fleet, one cluster at a time, and what the stream brought. */
import { batch, computed, effect, signal } from '@preact/signals';
import type { RunEvent } from '../../../model/events.js';
import type { ClusterSummary, ClusterView, ErrorView, FleetView, StreamEvent } from '../../api.js';
import { applyChange, changedNodes } from './apply-change.js';
import { ask, enter, listen, ServerError } from './client.js';
import { follow, place } from './router.js';

const FLEET_READ_MS = 20_000;

export const fleet = signal<FleetView | undefined>(undefined);
export const failure = signal<ErrorView | undefined>(undefined);
export const connected = signal(false);
const views = signal<Readonly<Record<string, ClusterView>>>({});
/** Counts up whenever something of the cluster is to be read again. */
export const changes = signal(0);
export const rehearsed = signal(0);
/** Nodes that the last reading found otherwise than the one before. */
export const justChanged = signal<ReadonlySet<string>>(new Set());
/** Events that came since a run was read, by its id. */
export const liveEvents = signal<Readonly<Record<string, readonly RunEvent[]>>>({});

export const current = computed<ClusterSummary | undefined>(() =>
  fleet.value?.clusters.find(({ id }) => id === place.value.cluster),
);
export const view = computed<ClusterView | undefined>(() => views.value[place.value.cluster ?? '']);
export const mayWrite = computed(() => fleet.value?.write === true);

export function failed(error: unknown): ErrorView {
  return error instanceof ServerError
    ? error.view
    : {
        code: 'ui.connection',
        message: 'the server does not answer',
        advice: 'is `oxherd ui` still running?',
      };
}

async function loadFleet(): Promise<void> {
  try {
    fleet.value = await ask<FleetView>('/api/fleet');
    failure.value = undefined;
  } catch (error) {
    failure.value = failed(error);
  }
}

async function loadView(id: string): Promise<void> {
  try {
    show(id, await ask<ClusterView>(`/api/clusters/${id}`));
  } catch {
    // Its summary says why.
  }
}

function show(id: string, next: ClusterView): void {
  const before = views.peek()[id];
  const isSame = before?.revision === next.revision;
  batch(() => {
    // What changed is pointed at until something else changes.
    if (before && !isSame) justChanged.value = changedNodes(before, next);
    views.value = { ...views.peek(), [id]: next };
  });
}

export async function start(): Promise<void> {
  try {
    await enter();
  } catch (error) {
    failure.value = failed(error);
    return;
  }
  follow();
  await enterFleet();
}

/** With the token that there is now; tried again after a person has signed in. */
export async function enterFleet(): Promise<void> {
  await loadFleet();
  if (!fleet.value) return;
  // A cluster alone needs no list of clusters.
  const [only, second] = fleet.value?.clusters ?? [];
  if (only && !second && place.value.cluster === undefined) location.replace(`#/${only.id}/map`);
  effect(() => {
    const { cluster } = place.value;
    // One that was not read yet says so in its summary, and is told of once it was.
    const isRead = current.value?.at !== undefined;
    if (cluster !== undefined && isRead && views.peek()[cluster] === undefined) void loadView(cluster);
  });
  // Clusters of a fleet are read for whoever looks at them.
  effect(() => {
    const { cluster } = place.value;
    if (!fleet.peek()?.fleet || cluster === undefined) return;
    const read = () => void ask(`/api/clusters/${cluster}/refresh`, {}).catch(() => undefined);
    read();
    const again = setInterval(() => document.visibilityState === 'visible' && read(), FLEET_READ_MS);
    return () => clearInterval(again);
  });
  void listen(heard, (is) => reconnected(is), new AbortController().signal);
}

function reconnected(is: boolean): void {
  const wasGone = !connected.value && is && fleet.value !== undefined;
  connected.value = is;
  if (!wasGone) return;
  void loadFleet();
  // What was told meanwhile was not heard.
  const { cluster } = place.peek();
  if (cluster !== undefined && views.peek()[cluster]) void loadView(cluster);
}

/** Brings what is kept of a cluster up to date: by what changed, else by asking for the whole. */
function refreshed({ cluster, summary, change }: Extract<StreamEvent, { readonly type: 'changed' }>): void {
  const known = views.peek()[cluster];
  const isLookedAt = cluster === place.peek().cluster;
  if (known && change?.base === known.revision) {
    show(cluster, applyChange(known, summary, change));
    if (isLookedAt) changes.value += 1;
  } else if (isLookedAt && summary.at !== undefined)
    void loadView(cluster).then(() => {
      changes.value += 1;
    });
  else views.value = Object.fromEntries(Object.entries(views.peek()).filter(([id]) => id !== cluster));
}

function heard(event: StreamEvent): void {
  if (event.type === 'changed') {
    const { value } = fleet;
    if (value)
      fleet.value = {
        ...value,
        clusters: value.clusters.map((one) => (one.id === event.cluster ? event.summary : one)),
      };
    refreshed(event);
  }
  if (event.type === 'run') {
    const before = liveEvents.value[event.runId] ?? [];
    liveEvents.value = { ...liveEvents.value, [event.runId]: [...before, ...event.events] };
  }
  if (event.type === 'rehearsal') rehearsed.value += 1;
}
