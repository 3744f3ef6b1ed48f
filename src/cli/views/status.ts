/** Health for people: a row per node, how many conditions hold, and every one that does not with what to look at. */
import { type Condition, healthVerdict, LAYERS, type Layer } from '../../health/condition.js';
import type { NodeRow } from '../../health/node-rows.js';
import { type ClusterStatus, shortNames } from '../../session/plan/index.js';
import { incompleteLines } from './incomplete.js';
import { type Paint, paint } from './paint.js';
import { cut, fitted, fittedTable } from './screen/wrap.js';

const TITLES: Record<Layer, string> = {
  proxmox: 'Proxmox',
  machines: 'Machines',
  volumes: 'Volumes',
  etcd: 'etcd',
  kubernetes: 'Kubernetes',
  certificates: 'Certificates',
};

/** With more nodes than this, those that are alike share a row. */
const MOST_ROWS = 12;
const HEAD = ['NODE', 'ROLE', 'HOST', 'TALOS', 'KUBELET', 'HEALTH', 'ETCD', 'NOTES'];
const LEAST_NOTES = 16;
/** What a narrow terminal does not show, first to go first. */
const SPARE = ['KUBELET', 'ROLE', 'TALOS'];

interface StatusView {
  readonly color: boolean;
  /** Every condition and every node, not only what is wrong. */
  readonly all: boolean;
  readonly width: number;
}

export function statusText(
  { conditions, nodes, incomplete }: Pick<ClusterStatus, 'conditions' | 'nodes' | 'incomplete'>,
  { color, all, width }: StatusView,
): string {
  const colors = paint(color);
  const shown = all ? conditions : conditions.filter(isWorthTelling);
  const blocks = LAYERS.flatMap((layer) => {
    const own = shown.filter((condition) => condition.layer === layer);
    return own.length === 0 ? [] : [layerText(layer, own, colors)];
  });
  const rows = all || nodes.length <= MOST_ROWS ? nodes.map((row) => ({ ...row, count: 1 })) : alike(nodes);
  const text = [
    ...(nodes.length > 0 ? [nodeTable(rows, colors, width)] : []),
    summary(conditions),
    ...blocks,
    ...(incomplete.length > 0 ? [colors.yellow(incompleteLines(incomplete).join('\n'))] : []),
    verdict(conditions, incomplete.length === 0, colors),
  ].join('\n\n');
  return fitted(text, width);
}

function isWorthTelling({ state }: Condition): boolean {
  return state === 'failed' || state === 'unknown' || state === 'note';
}

type Row = NodeRow & { readonly count: number };

/** Nodes one after the other that are well and differ by host alone become one row. */
function alike(nodes: readonly NodeRow[]): Row[] {
  const groups: NodeRow[][] = [];
  for (const row of nodes) {
    const group = groups.at(-1);
    if (group?.[0] && isAlike(group[0], row)) group.push(row);
    else groups.push([row]);
  }
  return groups.flatMap((group): Row[] => {
    const [first] = group;
    if (!first) return [];
    const hosts = new Set(group.map(({ host }) => host));
    return [
      {
        ...first,
        node: `${shortNames(group.map(({ node }) => node))}${group.length === 1 ? '' : ` (${group.length})`}`,
        host: hosts.size === 1 ? first.host : `${hosts.size} hosts`,
        count: group.length,
      },
    ];
  });
}

function isAlike(one: NodeRow, other: NodeRow): boolean {
  const kind = ({ role, talos, kubelet, health, etcd, notes }: NodeRow) =>
    JSON.stringify([role, talos, kubelet, health, etcd, notes]);
  return one.health === 'ok' && kind(one) === kind(other);
}

function nodeTable(rows: readonly Row[], colors: Paint, width: number): string {
  const cells = rows.map((row) => [
    row.node,
    row.role,
    row.host,
    row.talos ?? '-',
    row.kubelet ?? '-',
    row.health,
    row.etcd ?? '-',
    row.notes.join(', '),
  ]);
  const others = HEAD.slice(0, -1).map((head, at) =>
    Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const left = width - others.reduce((sum, each) => sum + each + 2, 0);
  const mark = { ok: colors.green, failed: colors.red, unknown: colors.yellow, note: colors.yellow };
  const { text } = fittedTable(
    HEAD,
    cells.map((row, at) =>
      row.map((cell, column) => {
        if (HEAD[column] === 'NOTES') return cut(cell, Math.max(left, LEAST_NOTES));
        return HEAD[column] === 'HEALTH' ? mark[rows[at]?.health ?? 'ok'](cell) : cell;
      }),
    ),
    width,
    SPARE,
  );
  return text;
}

/** `Proxmox 12/12  Machines 35/36 …`: how many hold of those that apply. */
function summary(conditions: readonly Condition[]): string {
  return LAYERS.flatMap((layer) => {
    const own = conditions.filter((each) => each.layer === layer && each.state !== 'skipped');
    const holds = own.filter(({ state }) => state === 'ok' || state === 'note').length;
    return own.length === 0 ? [] : [`${TITLES[layer]} ${holds}/${own.length}`];
  }).join('  ');
}

function layerText(layer: Layer, conditions: readonly Condition[], colors: Paint): string {
  const longest = Math.max(...conditions.map(({ subject = '' }) => subject.length));
  const lines = conditions.flatMap((condition) =>
    conditionLines((condition.subject ?? '').padEnd(longest), condition, colors),
  );
  return [colors.bold(TITLES[layer]), ...lines].join('\n');
}

function conditionLines(label: string, condition: Condition, colors: Paint): string[] {
  const mark = {
    ok: colors.green('✓'),
    failed: colors.red('✗'),
    unknown: colors.yellow('?'),
    skipped: colors.dim('·'),
    note: colors.yellow('!'),
  }[condition.state];
  const line = `  ${mark} ${label}${label === '' ? '' : '  '}${condition.name}: ${condition.message}`;
  return condition.advice ? [line, colors.dim(`      ${condition.advice}`)] : [line];
}

function verdict(conditions: readonly Condition[], isComplete: boolean, colors: Paint): string {
  const failed = conditions.filter((condition) => condition.state === 'failed').length;
  const unknown = conditions.filter((condition) => condition.state === 'unknown').length;
  const health = healthVerdict(conditions, isComplete);
  if (health === 'healthy') return colors.green(`Healthy: ${conditions.length} conditions hold.`);
  const parts = [failed > 0 ? `${failed} failed` : '', unknown > 0 ? `${unknown} unknown` : ''].filter(
    Boolean,
  );
  if (health === 'unknown')
    return colors.yellow(`Unknown: no condition failed, but not everything could be read.`);
  return colors.red(`Not healthy: of ${conditions.length} conditions ${parts.join(' and ')}.`);
}
