/** A running cluster as data: all that a twin is made from. It can be kept in a file, without secrets. */

import { z } from 'zod';
import { unmarkedConfig } from '../../design/machine-config/config-mark.js';
import { redactedConfig } from '../../design/machine-config/meaning.js';
import { redactStrings } from '../../formats/redact/redact-text.js';
import { issueText } from '../../formats/text/issue-text.js';
import { OxherdError } from '../../model/error.js';
import type { Observed } from '../../observe/observed.js';
import { type SeenObject, withoutValues } from './seen-objects.js';

export interface Observation {
  readonly format: typeof FORMAT;
  readonly cluster: string;
  /** Milliseconds since the epoch, by the target's clock. */
  readonly at: number;
  readonly observed: Observed;
  /** By name of the VM, of those that answered; nodes that the config no longer has are among them. */
  readonly machines: Readonly<Record<string, SeenMachine>>;
  /** By resource: `pods`, `deployments.apps`. */
  readonly objects: Readonly<Record<string, readonly SeenObject[]>>;
  /** Objects of oxherd's own that someone has changed since, by key. */
  readonly changed?: readonly string[];
  /** Whether the client files are there and fit: a plan that writes them is another plan. */
  readonly clientFiles: boolean;
  /** Whether the cluster has secrets yet: the first apply makes them. */
  readonly secrets: boolean;
}

export interface SeenMachine {
  readonly vmid: number;
  readonly version: string;
  readonly schematic?: string;
  /** Its member of etcd, in hex. */
  readonly member?: string;
  /** Its config with the values of the secrets bundle replaced by a placeholder. */
  readonly config: string;
  /** The one on its disk, where that is another one. */
  readonly staged?: string;
  readonly extensions: readonly string[];
  /** Slot and size of each Talos volume whose drive is known. */
  readonly volumes: Readonly<Record<string, { readonly slot: string; readonly size: number }>>;
}

const FORMAT = 3;

const saved = z.looseObject({
  format: z.literal(FORMAT),
  cluster: z.string(),
  at: z.number(),
  observed: z.looseObject({
    hosts: z.looseObject({}),
    vms: z.looseObject({ listed: z.array(z.looseObject({})) }),
    storages: z.looseObject({}),
  }),
  machines: z.record(z.string(), z.looseObject({ config: z.string() })),
  objects: z.record(z.string(), z.array(z.looseObject({}))),
  clientFiles: z.boolean(),
  secrets: z.boolean(),
});

export function newObservation(seen: Omit<Observation, 'format'>): Observation {
  return { format: FORMAT, ...seen };
}

/** For a file that people pass on: no text of a config or object that is not known to be harmless. */
export function redactedObservation(observation: Observation): Observation {
  const machines = Object.entries(observation.machines).map(
    ([node, { config, staged, ...rest }]): [string, SeenMachine] => [
      node,
      { config: redacted(config), ...(staged !== undefined && { staged: redacted(staged) }), ...rest },
    ],
  );
  const objects = Object.entries(observation.objects).map(([resource, list]): [string, SeenObject[]] => [
    resource,
    list.map((object) => withoutValues(object)),
  ]);
  // What a plan compares stands among the objects as well, and there without its values.
  const { kubernetes: _, ...observed } = observation.observed;
  return redactStrings({
    ...observation,
    observed,
    machines: Object.fromEntries(machines),
    objects: Object.fromEntries(objects),
  });
}

function redacted(config: string): string {
  const { text, mark } = unmarkedConfig(config);
  const shown = redactedConfig(text);
  return mark === undefined ? shown : `# oxherd ${mark}\n${shown}`;
}

export function parseObservation(text: string, where: string): Observation {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new OxherdError('observation.invalid', `${where} is no JSON`, {
      where,
      advice: 'write one with `oxherd observe --out FILE`',
      cause,
    });
  }
  const result = saved.safeParse(value);
  if (result.success && isObservation(result.data)) return result.data;
  const [issue] = result.success ? [] : result.error.issues;
  throw new OxherdError(
    'observation.invalid',
    `${where} is no observation of this version${issue ? `: ${issueText(issue)}` : ''}`,
    { where, advice: 'write one with `oxherd observe --out FILE`' },
  );
}

/** The parts that are read were checked; the rest is what `observe` wrote. */
function isObservation(value: { readonly format: number }): value is Observation {
  return value.format === FORMAT;
}
