/** The parts of `planKubernetes`: each is given what they share and gives back its own steps, problems and notes. */
import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import type { Known } from '../../observe/observed.js';
import type { ObservedKubernetes } from '../../observe/observed-kubernetes.js';
import type { PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';

export interface KubernetesPlan {
  readonly context: PlanContext;
  readonly design: KubernetesDesign;
  /** `undefined`: no API server answers yet; the steps find out themselves what is there. */
  readonly there: ObservedKubernetes | undefined;
  /** Step after which the API answers. */
  readonly api: string | undefined;
}

/** The same with a draft of the part's own. */
export interface KubernetesDraft extends KubernetesPlan {
  readonly context: Draft;
}

/** Step of each object that is applied, by key. */
export type AppliedObjects = ReadonlyMap<string, string>;

export function part<T>(given: KubernetesPlan, plan: (draft: KubernetesDraft) => T): Planned<T> {
  return drafted(given.context, (context) => plan({ ...given, context }));
}

/** `undefined`: it was not read. The plan says so, and the planner concludes nothing from it. */
export function readPart<T>({ notes }: Draft, what: string, read: Known<T>): T | undefined {
  if (read.known) return read.value;
  if (!read.notAsked)
    notes.push({
      code: 'unknown',
      message: `${what} could not be read, so nothing is planned for them: ${read.why}`,
    });
  return undefined;
}
