/** The user's own conditions: a CEL expression over each object of a resource. */
import { type CelInput, celEnv, parse, plan } from '@bufbuild/cel';
import type { GateConfig } from '../config/policy-config.js';
import { unservedGate } from '../observe/observed-gates.js';
import type { ObservedKubernetes } from '../observe/observed-kubernetes.js';
import type { Condition } from './condition.js';

export function gateConditions(
  gates: readonly GateConfig[],
  observed: Pick<ObservedKubernetes, 'gates'> | undefined,
): Condition[] {
  if (!observed) return [];
  return gates.map((gate) => gateCondition(gate, observed.gates[gate.name]));
}

function gateCondition(gate: GateConfig, seen: ObservedKubernetes['gates'][string] | undefined): Condition {
  const base = { layer: 'kubernetes', name: 'gate', subject: gate.name } as const;
  if (!seen) return { ...base, state: 'unknown', message: 'it was not looked at' };
  if (!seen.known) return { ...base, state: 'unknown', message: seen.why };
  const unserved = unservedGate(gate, seen);
  if (unserved) return { ...base, state: 'failed', ...unserved };
  if (!seen.value.served)
    return { ...base, state: 'skipped', message: `the cluster does not serve ${gate.resource}` };
  const { objects } = seen.value;
  if (gate.object !== undefined && objects.length === 0) {
    const advice = `kubectl get ${gate.resource.split('/')[0]} ${gate.object}`;
    return { ...base, state: 'failed', message: `${gate.resource} ${gate.object} does not exist`, advice };
  }
  const open = compile(gate.expression);
  if (!open.ok) {
    const advice = `correct policy.gates.${gate.name}.expression`;
    return { ...base, state: 'failed', message: `its expression cannot be read: ${open.why}`, advice };
  }
  const closed = objects.filter((object) => !open.holds(object)).map(nameOf);
  if (closed.length === 0)
    return { ...base, state: 'ok', message: `open: ${objects.length} of ${gate.resource}` };
  return {
    ...base,
    state: 'failed',
    message: `closed by ${closed.slice(0, 5).join(', ')}${closed.length > 5 ? ` and ${closed.length - 5} more` : ''}`,
    advice: `expected ${gate.expression} in every ${gate.resource}`,
  };
}

/** Why an expression can never be true; `undefined`: it can be read. */
export function expressionProblem({ name, expression }: GateConfig): string | undefined {
  const compiled = compile(expression);
  return compiled.ok ? undefined : `gate ${name}: its expression cannot be read: ${compiled.why}`;
}

type Compiled =
  | { readonly ok: true; holds(object: Readonly<Record<string, unknown>>): boolean }
  | { readonly ok: false; readonly why: string };

/** A field that an object does not have is no `true`: the gate stays closed. */
function compile(expression: string): Compiled {
  try {
    const evaluate = plan(celEnv(), parse(expression));
    return { ok: true, holds: (object) => evaluate({ object: celInput(object) }) === true };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}

/** JSON as CEL has it: mappings are maps, whole numbers are ints. */
function celInput(value: unknown): CelInput {
  if (Array.isArray(value)) return value.map(celInput);
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([key, item]) => [key, celInput(item)]));
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

function nameOf(object: Readonly<Record<string, unknown>>): string {
  const { metadata } = object;
  if (typeof metadata !== 'object' || metadata === null) return '?';
  const name = 'name' in metadata ? String(metadata.name) : '?';
  return 'namespace' in metadata ? `${String(metadata.namespace)}/${name}` : name;
}
