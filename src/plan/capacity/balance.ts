/** Moves after which the nodes of any host that fails fit on the others, control planes are apart, and hosts evenly full. */
import type { Config, NodeConfig } from '../../config/config.js';
import { compareRanks, HostLoads, type HostMemory } from '../../design/host-loads.js';
import { hostChoices } from '../../design/placement.js';

interface BalanceMove {
  readonly node: string;
  readonly from: string;
  readonly to: string;
}

/** A difference between hosts that is not worth a move: a tenth of their memory. */
const EVEN_ENOUGH = 0.1;

/** `stands`: node → its host now. Only nodes with `host: auto` move: where the others are, oxherd.yaml says. */
export function balanceMoves(
  config: Config,
  memory: HostMemory,
  stands: ReadonlyMap<string, string>,
): BalanceMove[] {
  const loads = new HostLoads(config, memory);
  const places = new Map(stands);
  for (const node of config.nodes) {
    const host = stands.get(node.name);
    if (host !== undefined) loads.add(host, node);
  }
  const movable = config.nodes.filter(({ name, host }) => host === 'auto' && stands.has(name));
  for (let round = 0; round < movable.length; round += 1) {
    const best = bestMove(config, loads, memory, movable, places);
    if (!best) break;
    loads.remove(best.from, best.node);
    loads.add(best.to, best.node);
    places.set(best.node.name, best.to);
  }
  return movable.flatMap(({ name }) => {
    const [from = '', to = ''] = [stands.get(name), places.get(name)];
    return from === to ? [] : [{ node: name, from, to }];
  });
}

interface Candidate {
  readonly node: NodeConfig;
  readonly from: string;
  readonly to: string;
}

/** The one that helps most; `undefined`: none is worth it. */
function bestMove(
  config: Config,
  loads: HostLoads,
  memory: HostMemory,
  movable: readonly NodeConfig[],
  places: ReadonlyMap<string, string>,
): Candidate | undefined {
  const now = score(loads);
  let best: { readonly move: Candidate; readonly score: readonly number[] } | undefined;
  for (const node of movable) {
    const from = places.get(node.name) ?? '';
    for (const to of hostChoices(config, node)) {
      // Nothing goes to a host that is down, or that no one knows.
      if (to === from || !memory.get(to)) continue;
      loads.remove(from, node);
      loads.add(to, node);
      const after = score(loads);
      loads.remove(to, node);
      loads.add(from, node);
      if (isWorthIt(now, after) && (!best || compareRanks(after, best.score) < 0))
        best = { move: { node, from, to }, score: after };
    }
  }
  return best?.move;
}

function score(loads: HostLoads): readonly number[] {
  return [loads.overcommitted(), loads.crowded(), loads.missingAfterLoss(), loads.unevenness()];
}

function isWorthIt(now: readonly number[], after: readonly number[]): boolean {
  const [before, then] = [now.slice(0, 3), after.slice(0, 3)];
  const order = compareRanks(then, before);
  if (order !== 0) return order < 0;
  return (now[3] ?? 0) - (after[3] ?? 0) > EVEN_ENOUGH;
}
