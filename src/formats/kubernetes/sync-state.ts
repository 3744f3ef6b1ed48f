/** How far Flux or Argo CD is with an object that names a repository. */
import { isMapping } from '../text/mapping.js';

type Mapping = Readonly<Record<string, unknown>>;

interface SyncState {
  readonly state: 'ready' | 'waiting';
  readonly message: string;
}

/** As the object itself tells: Flux by the condition Ready, Argo CD by sync and health; `undefined`: it is no such object. */
export function syncStateOf(kind: string, { metadata, status }: Mapping): SyncState | undefined {
  if (kind === 'Application') return applicationState(isMapping(status) ? status : {});
  if (kind !== 'GitRepository' && kind !== 'Kustomization') return undefined;
  const conditions: unknown[] =
    isMapping(status) && Array.isArray(status.conditions) ? status.conditions : [];
  const ready = conditions.filter(isMapping).find(({ type }) => type === 'Ready');
  const generation = isMapping(metadata) ? Number(metadata.generation ?? 0) : 0;
  const seen = isMapping(status) ? Number(status.observedGeneration ?? 0) : 0;
  const message = typeof ready?.message === 'string' ? ready.message : 'not looked at yet';
  return { state: ready?.status === 'True' && seen >= generation ? 'ready' : 'waiting', message };
}

function applicationState({ sync, health, conditions }: Mapping): SyncState {
  const of = (value: unknown) =>
    isMapping(value) && typeof value.status === 'string' ? value.status : 'unknown';
  const errors = (Array.isArray(conditions) ? conditions : [])
    .filter(isMapping)
    .map(({ message }) => String(message));
  const text = `${of(sync)}, ${of(health)}${errors.length > 0 ? `: ${errors.join('; ')}` : ''}`;
  return { state: of(sync) === 'Synced' && of(health) === 'Healthy' ? 'ready' : 'waiting', message: text };
}
