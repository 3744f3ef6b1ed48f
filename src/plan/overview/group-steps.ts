/**
 * The steps of a plan in blocks for people: the cluster's, those of nodes with the same changes together, and one for a
 * Kubernetes upgrade. Every step is in exactly one block, and no text is left out but what names a node.
 */
import type { Step, StepOf } from '../steps.js';
import { NodeText, type NodeValues } from './node-text.js';

interface ClusterBlock {
  readonly kind: 'cluster';
  readonly steps: readonly Step[];
}

export interface NodesBlock {
  readonly kind: 'nodes';
  readonly nodes: readonly string[];
  /** What the placeholders are on each of the nodes, in their order. */
  readonly values: readonly NodeValues[];
  readonly steps: readonly SharedStep[];
}

/** One step that every node of a block has. */
export interface SharedStep {
  /** One for each node, in the order of the block's nodes. */
  readonly members: readonly Step[];
  readonly title: string;
  readonly reasons: readonly string[];
  readonly diff: readonly string[];
}

export interface KubernetesBlock {
  readonly kind: 'kubernetes';
  readonly steps: readonly KubernetesUpgradeStep[];
}

export type KubernetesUpgradeStep = StepOf<'pull-images' | 'upgrade-component' | 'sync-manifests'>;

export type PlanBlock = ClusterBlock | NodesBlock | KubernetesBlock;

export function groupSteps(steps: readonly Step[]): PlanBlock[] {
  const upgrade = upgradeSteps(steps);
  const upgraded = new Set<Step>(upgrade);
  const rest = steps.filter((step) => !upgraded.has(step));
  const byNode = new Map<string | undefined, Step[]>();
  for (const step of rest) byNode.set(step.node, [...(byNode.get(step.node) ?? []), step]);
  const blocks: PlanBlock[] = [];
  const byKey = new Map<string, NodesBlock>();
  for (const [node, own] of byNode) {
    if (node === undefined) {
      blocks.push({ kind: 'cluster', steps: own });
      continue;
    }
    const { key, block } = blockOf(node, own);
    const known = byKey.get(key);
    const joined = known ? join(known, block) : block;
    byKey.set(key, joined);
    if (known) blocks[blocks.indexOf(known)] = joined;
    else blocks.push(joined);
  }
  return upgrade.length > 0 ? [...blocks, { kind: 'kubernetes', steps: upgrade }] : blocks;
}

/** Each step alone again: those of one node in the plan's order. */
export function expandBlocks(blocks: readonly PlanBlock[]): Step[] {
  return blocks.flatMap((block): readonly Step[] =>
    block.kind === 'nodes'
      ? block.nodes.flatMap((_, index) => block.steps.flatMap(({ members }) => members[index] ?? []))
      : block.steps,
  );
}

/** Every node in a block of its own. */
export function singleBlocks(steps: readonly Step[]): PlanBlock[] {
  const byNode = new Map<string | undefined, Step[]>();
  for (const step of steps) byNode.set(step.node, [...(byNode.get(step.node) ?? []), step]);
  return [...byNode].map(([node, own]) =>
    node === undefined ? { kind: 'cluster', steps: own } : blockOf(node, own).block,
  );
}

/** Only where a component changes its version: manifests and images may have other reasons. */
function upgradeSteps(steps: readonly Step[]): KubernetesUpgradeStep[] {
  if (!steps.some((step) => step.kind === 'upgrade-component')) return [];
  return steps.filter(
    (step) =>
      step.kind === 'upgrade-component' || step.kind === 'pull-images' || step.kind === 'sync-manifests',
  );
}

function blockOf(node: string, steps: readonly Step[]): { key: string; block: NodesBlock } {
  const text = new NodeText(node, steps);
  const shared = steps.map((step): SharedStep => {
    const title = text.template(step.title, step);
    const reasons = step.reasons.map((reason) => text.template(reason, step));
    const diff = diffOf(step).map((line) => text.template(line, step));
    return { members: [step], title, reasons, diff };
  });
  const key = JSON.stringify(
    shared.map(({ members: [step], title, reasons, diff }) => [
      step?.kind,
      step?.action,
      step?.impact,
      title,
      reasons,
      step?.drift?.map(({ reason, by }) => [step.reasons.indexOf(reason), by]),
      // Lines around a change differ by node where the change does not.
      diff.filter((line) => !line.startsWith(' ')),
    ]),
  );
  return { key, block: { kind: 'nodes', nodes: [node], values: [text.values], steps: shared } };
}

function join(first: NodesBlock, second: NodesBlock): NodesBlock {
  return {
    kind: 'nodes',
    nodes: [...first.nodes, ...second.nodes],
    values: [...first.values, ...second.values],
    steps: first.steps.map((step, index) => {
      const other = second.steps[index];
      if (!other) return step;
      return {
        ...step,
        members: [...step.members, ...other.members],
        diff: commonDiff(step.diff, other.diff),
      };
    }),
  };
}

/** Changed lines are the same; of those around them what is the same stays. */
function commonDiff(first: readonly string[], second: readonly string[]): readonly string[] {
  if (first.length !== second.length) return first.filter((line) => !line.startsWith(' '));
  return first.filter((line, index) => !line.startsWith(' ') || second[index] === line);
}

function diffOf(step: Step): string[] {
  if (step.kind !== 'change-config') return [];
  return step.diff.split('\n').filter((line) => /^[-+ ]/.test(line) && !/^(---|\+\+\+) /.test(line));
}
