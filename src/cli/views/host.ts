/** Hosts, and what happens to their nodes, as tables. */
import { bytes, formatSize } from '../../model/size.js';
import type { DrainDecision, HostLoss, HostState, LostNode } from '../../session/plan/index.js';
import type { CliContext } from '../context.js';
import { paint } from './paint.js';
import { table } from './table.js';

const WAYS: Readonly<Record<DrainDecision['way'], string>> = {
  live: 'keeps running',
  move: 'moves, stopped meanwhile',
  stay: 'off until the host returns',
};

export function decisionsText(decisions: readonly DrainDecision[]): string {
  return table(
    ['NODE', 'ROLE', 'WHAT', 'TO', 'COPIED', 'WHY'],
    decisions.map(({ node, role, way, to = '', bytes: size, why }) => [
      node,
      role,
      WAYS[way],
      to,
      size === 0 ? '' : formatSize(bytes(size)),
      why,
    ]),
  );
}

export function hostsText(context: CliContext, hosts: readonly HostState[]): string {
  const colors = paint(context.globals.color);
  const ha = hosts.flatMap((host) =>
    (host.ha ?? []).map(
      ({ node, message, advice }) => `  ${node} on ${host.name}: ${message}\n      ${advice}`,
    ),
  );
  const rows = table(
    ['HOST', 'STATE', 'MEMORY FREE', 'NODES', 'DRAINED FROM IT', 'OTHERS'],
    hosts.map((host) => [
      host.name,
      host.online ? (host.drained.length > 0 ? colors.yellow('drained') : 'online') : colors.red('down'),
      host.memory === undefined || host.free === undefined
        ? ''
        : `${gib(host.free)} of ${gib(host.memory)} GiB`,
      host.nodes.map(({ name, running }) => (running ? name : `${name} (off)`)).join(', '),
      host.drained
        .map(({ node, on }) => (on === host.name ? `${node} (off)` : `${node} (on ${on})`))
        .join(', '),
      host.others === 0 ? '' : String(host.others),
    ]),
  );
  return ha.length === 0 ? rows : `${rows}\n\nHA\n${ha.join('\n')}`;
}

function gib(size: number): string {
  return (Math.max(0, size) / 1024 ** 3).toFixed(1).replace(/\.0$/, '');
}

const LOST_WAYS: Readonly<Record<LostNode['way'], string>> = {
  'taken-over': 'taken over with its data',
  replaced: 'created again, its data is lost',
  removed: 'removed (not in oxherd.yaml)',
};

export function lossText({ host, nodes, lost }: HostLoss): string {
  if (nodes.length === 0 && lost.length === 0) return '';
  const rows = nodes.map(({ node, role, way, to = '' }) => [node, role, LOST_WAYS[way], to]);
  const volumes =
    lost.length === 0
      ? `No volume of oxherd.yaml is lost with ${host}.`
      : `Lost with ${host} (and what was parked there):\n${lost.map((name) => `  ${name}`).join('\n')}`;
  return `${table(['NODE', 'ROLE', 'WHAT', 'TO'], rows)}\n\n${volumes}`;
}

export function commandsText(host: string, commands: readonly string[]): string {
  return `The API of ${host} is gone with it. As root on any other host:\n${commands.map((one) => `  ${one}`).join('\n')}`;
}
