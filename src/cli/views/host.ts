/** Hosts, and what happens to their nodes, as tables. */
import { bytes, formatSize } from '../../model/size.js';
import type { DrainDecision, HostState } from '../../session/plan/index.js';
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
  return table(
    ['HOST', 'STATE', 'MEMORY FREE', 'NODES', 'DRAINED FROM IT', 'OTHERS'],
    hosts.map((host) => [
      host.name,
      host.online ? (host.drained.length > 0 ? colors.yellow('drained') : 'online') : colors.red('down'),
      host.memory === undefined || host.free === undefined
        ? ''
        : `${formatSize(bytes(wholeMib(host.free)))} of ${formatSize(bytes(wholeMib(host.memory)))}`,
      host.nodes.map(({ name, running }) => (running ? name : `${name} (off)`)).join(', '),
      host.drained
        .map(({ node, on }) => (on === host.name ? `${node} (off)` : `${node} (on ${on})`))
        .join(', '),
      host.others === 0 ? '' : String(host.others),
    ]),
  );
}

function wholeMib(size: number): number {
  return Math.max(0, Math.floor(size / 1024 ** 2)) * 1024 ** 2;
}
