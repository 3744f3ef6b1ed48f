/** A gate that cannot see its resource guards nothing: a typo, a version that was dropped, or not installed yet. */
import type { GateConfig } from '../config/policy-config.js';
import type { Known } from './observed.js';
import type { GateObjects } from './observed-kubernetes.js';

/** Why the gate is closed, and what to write; `undefined`: its resource is served, may be missing, or is not known. */
export function unservedGate(
  { name, resource, ifMissing }: Pick<GateConfig, 'name' | 'resource' | 'ifMissing'>,
  seen: Known<GateObjects> | undefined,
): { readonly message: string; readonly advice: string } | undefined {
  if (ifMissing === 'open' || !seen?.known || seen.value.served) return undefined;
  const [first, ...others] = seen.value.alike;
  const meant = first === undefined ? '' : `; it serves ${[first, ...others].join(', ')}`;
  const correct = first === undefined ? 'correct' : `write \`resource: ${first}\` in`;
  return {
    message: `closed: the cluster does not serve ${resource}${meant}`,
    advice: `${correct} policy.gates.${name}, or \`ifMissing: open\` if it is installed later`,
  };
}
