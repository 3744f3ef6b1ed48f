/** The way from one pair of versions to another, for people and as JSON lines. */
import { formatVersion } from '../../model/version.js';
import type { RunningVersions, UpgradeHop, Versions } from '../../session/plan/index.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';

const NAMES = { talos: 'Talos', kubernetes: 'Kubernetes' } as const;

export function pairText({ talos, kubernetes }: Versions): string {
  return `Talos ${formatVersion(talos)} with Kubernetes ${formatVersion(kubernetes)}`;
}

function hopText({ what, from, to }: UpgradeHop): string {
  return `${NAMES[what]} ${formatVersion(from)} → ${formatVersion(to)}`;
}

export function printPath(
  context: CliContext,
  running: RunningVersions,
  goal: Versions,
  hops: readonly UpgradeHop[],
): void {
  if (context.globals.json) {
    tell(context, 'upgrade-path', {
      from: plain(running.lowest),
      to: plain(goal),
      hops: hops.map(({ what, from, to }) => ({ what, from: formatVersion(from), to: formatVersion(to) })),
    });
    return;
  }
  const colors = paint(context.globals.color);
  const count = hops.length === 1 ? 'one hop' : `${hops.length} hops`;
  const lines = [
    `From ${pairText(running.lowest)} to ${pairText(goal)}: ${count}.`,
    ...hops.map((hop, index) => `  ${index + 1}. ${hopText(hop)}`),
    ...mixed(running).map((line) => colors.dim(`  ${line}`)),
  ];
  context.stdout.write(`${lines.join('\n')}\n`);
}

export function printHop(context: CliContext, hop: UpgradeHop, index: number, count: number): void {
  if (context.globals.json) {
    const { what, from, to } = hop;
    tell(context, 'upgrade-hop', {
      hop: index + 1,
      hops: count,
      what,
      from: formatVersion(from),
      to: formatVersion(to),
    });
    return;
  }
  context.stdout.write(
    `\n${paint(context.globals.color).bold(`Hop ${index + 1} of ${count}: ${hopText(hop)}`)}\n\n`,
  );
}

export function printReached(context: CliContext, goal: Versions, changed: boolean): void {
  if (context.globals.json) tell(context, 'upgrade-done', { ...plain(goal), changed });
  else
    context.stdout.write(
      `${changed ? 'Upgraded to' : 'Nothing to upgrade: every node runs'} ${pairText(goal)}.\n`,
    );
}

/** An upgrade that stopped half-way leaves several versions; who runs which is worth a line. */
function mixed({ nodes }: RunningVersions): string[] {
  const byTalos = new Map<string, string[]>();
  for (const { node, talos } of nodes) {
    const version = formatVersion(talos);
    byTalos.set(version, [...(byTalos.get(version) ?? []), node]);
  }
  if (byTalos.size < 2) return [];
  return [...byTalos].map(([version, names]) => `Talos ${version}: ${names.join(', ')}`);
}

function plain({ talos, kubernetes }: Versions) {
  return { talos: formatVersion(talos), kubernetes: formatVersion(kubernetes) };
}

function tell(context: CliContext, type: string, facts: object): void {
  context.stdout.write(`${JSON.stringify({ type, ...facts })}\n`);
}
