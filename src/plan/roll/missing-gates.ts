/** Gates on a resource that the cluster does not serve: named before a run finds out. */
import type { GateConfig } from '../../config/policy-config.js';
import type { Observed } from '../../observe/observed.js';
import { unservedGate } from '../../observe/observed-gates.js';
import type { Note } from '../plan.js';

export function missingGateNotes(gates: readonly GateConfig[], { kubernetes }: Observed): Note[] {
  return gates.flatMap((gate): Note[] => {
    const unserved = unservedGate(gate, kubernetes?.gates[gate.name]);
    if (!unserved) return [];
    const { message, advice } = unserved;
    return [
      {
        code: 'advice',
        message: `gate ${gate.name} is ${message}. No node can be disrupted until then: ${advice}`,
      },
    ];
  });
}
