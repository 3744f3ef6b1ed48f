/** Whether a node is begun while a condition of the user's own does not hold. */
import { objOf } from '../kubernetes/json.js';
import type { KubeObject } from '../kubernetes/object.js';
import type { TwinLimits } from './watch-twin.js';

interface Objects {
  list(resource: string): readonly KubeObject[];
}

export class GateWatch {
  /** Nodes that were cordoned or down at the last look. */
  #gone: ReadonlySet<string> | undefined;
  #closed: readonly string[] = [];

  constructor(private readonly closedGates: NonNullable<TwinLimits['closedGates']>) {}

  /** A drain may close a gate itself: one that was closed before the node was begun, and still is, was passed over. */
  look(objects: Objects, working: ReadonlySet<string>): { node: string; gate: string }[] {
    const gone = new Set(
      objects
        .list('nodes')
        .filter(({ metadata, spec }) => objOf(spec).unschedulable === true || !working.has(metadata.name))
        .map(({ metadata }) => metadata.name),
    );
    const before = this.#gone;
    const closed = this.closedGates((resource) => objects.list(resource));
    const still = this.#closed.filter((gate) => closed.includes(gate));
    this.#gone = gone;
    this.#closed = closed;
    if (!before) return [];
    const begun = [...gone].filter((node) => !before.has(node));
    return begun.flatMap((node) => still.map((gate) => ({ node, gate })));
  }
}
