/** Legal changes of a cluster's file, for fast-check. */
import fc from 'fast-check';
import { type Bench, type HerdModel, holds, type Step, textOf } from './herd-model.js';

/** A change of the file that can be made now, and its name. */
export interface Edit {
  readonly name: string;
  readonly possible: (model: Readonly<HerdModel>) => boolean;
  readonly change: (model: HerdModel) => void;
}

const MAX_WORKERS = 3;
/** Two keep the workload's budget while one is away. */
const MIN_WORKERS = 2;
const MAX_CONTROL_PLANES = 5;
/** Below three a change is an outage, and that is another rule. */
const MIN_CONTROL_PLANES = 3;

/** Sets one value of the file, where it is another. */
function set<K extends keyof HerdModel>(key: K, value: HerdModel[K], name = `${key} ${value}`): Edit {
  return {
    name,
    possible: (model) => model[key] !== value,
    change: (model) => {
      model[key] = value;
    },
  };
}

function next(key: 'talos' | 'kubernetes', from: string, to: string): Edit {
  return { ...set(key, to, `${key} ${to}`), possible: (model) => model[key] === from };
}

function count(key: 'workers' | 'controlPlanes', by: 1 | -1, limit: number): Edit {
  return {
    name: `${by > 0 ? 'add' : 'remove'} one of ${key}`,
    possible: (model) => (by > 0 ? model[key] < limit : model[key] > limit),
    change: (model) => {
      model[key] += by;
    },
  };
}

function addVolume(volume: string): Edit {
  return {
    name: `add volume ${volume}`,
    possible: (model) => !(volume in model.volumes),
    // The size it had: a parked disk that comes back is not made smaller.
    change: (model) => {
      model.volumes[volume] = 5;
    },
  };
}

function growVolume(volume: string): Edit {
  return {
    name: `grow ${volume}`,
    possible: (model) => (model.volumes[volume] ?? 5) < 5,
    change: (model) => {
      model.volumes[volume] = (model.volumes[volume] ?? 0) + 1;
    },
  };
}

function removeVolume(volume: string): Edit {
  return {
    name: `remove volume ${volume}`,
    possible: (model) => volume in model.volumes,
    change: (model) => {
      delete model.volumes[volume];
    },
  };
}

const label = (value: string): Edit => ({
  name: `label ${value}`,
  possible: (model) => model.labels['example.org/shelf'] !== value,
  change: (model) => {
    model.labels = { 'example.org/shelf': value };
  },
});

export const EDITS: fc.Arbitrary<Edit> = fc.oneof(
  fc.constant(count('workers', 1, MAX_WORKERS)),
  fc.constant(count('workers', -1, MIN_WORKERS)),
  fc.constant(count('controlPlanes', 1, MAX_CONTROL_PLANES)),
  fc.constant(count('controlPlanes', -1, MIN_CONTROL_PLANES)),
  fc.constantFrom(2, 3).map((cores) => set('cores', cores)),
  fc.constantFrom(3, 4, 5).map((memory) => set('memory', memory)),
  fc.constantFrom('cache', 'logs').map(addVolume),
  fc.constant(growVolume('scratch')),
  fc.constantFrom('scratch', 'logs').map(removeVolume),
  fc.constantFrom('top', 'bottom').map(label),
  fc.constantFrom('', 'C').map((value) => set('environment', value, `environment ${value || 'as it was'}`)),
  fc.constantFrom('', '10').map((value) => set('sysctl', value, `sysctl ${value || 'as it was'}`)),
  fc.constant(next('talos', 'v1.13.9', 'v1.14.1')),
  fc.constantFrom(next('kubernetes', 'v1.34.0', 'v1.35.0'), next('kubernetes', 'v1.35.0', 'v1.36.0')),
);

export function makeEdit({ change }: Edit, model: HerdModel, bench: Bench): void {
  change(model);
  bench.site.config = textOf(model);
}

/** An edit that `apply` brings about. */
export function editStep(edit: Edit): Step {
  return {
    check: async (model) => edit.possible(model),
    async run(model, bench) {
      makeEdit(edit, model, bench);
      await holds(bench, ['apply', '--yes']);
    },
    toString: () => edit.name,
  };
}
