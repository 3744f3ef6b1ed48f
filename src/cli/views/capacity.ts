/** Hosts as tables: who uses what, what is left, and what does not fit. */
import {
  type Capacity,
  type Failover,
  failoverWords,
  type HostCapacity,
  wholeGib,
} from '../../session/plan/index.js';
import type { CliContext } from '../context.js';
import { type Paint, paint } from './paint.js';
import { columnsOf, fitted } from './screen/wrap.js';
import { table } from './table.js';

const BAR_WIDTH = 36;

export function printCapacity(context: CliContext, view: Capacity): void {
  const colors = paint(context.globals.color);
  const bars = context.stdout.isTTY === true || context.globals.color;
  const blocks = [
    ...view.hosts.map((host) => hostText(host, colors, bars)),
    ...(view.failovers.length > 0 ? [failoverText(view.failovers, colors)] : []),
    ...view.notes.map((note) => `${colors.yellow('!')} ${note.message}`),
    ...view.problems.map(
      (problem) => `${colors.red('✗')} ${problem.message}\n  ${colors.dim(problem.advice)}`,
    ),
  ];
  context.stdout.write(`${fitted(blocks.join('\n\n'), columnsOf(context))}\n`);
}

function hostText(host: HostCapacity, colors: Paint, bars: boolean): string {
  const size = [
    host.cpus === undefined ? 'vCPUs unknown' : `${host.cpus} vCPU`,
    host.memory === undefined ? 'memory unknown' : `${wholeGib(host.memory)} RAM`,
  ].join(', ');
  const rows = host.users.map((user) => [
    user.title,
    user.name,
    String(user.cpus),
    wholeGib(user.memory),
    user.disk || '-',
    user.address || '-',
  ]);
  const left = [
    'Reserve',
    host.left.memory !== undefined && host.left.memory < 0 ? colors.red('overcommitted') : 'available',
    leftText(host.left.cpus, String, colors),
    leftText(host.left.memory, wholeGib, colors),
    '-',
    '-',
  ];
  return [
    `${colors.bold(host.name)} (${size})`,
    table(['Role', 'Name', 'vCPU', 'RAM', 'Disk (boot)', 'IP'], [...rows, left]),
    ...(bars ? barLines(host, colors) : []),
    ...storageLines(host, colors, bars),
  ].join('\n');
}

function leftText(left: number | undefined, show: (value: number) => string, colors: Paint): string {
  if (left === undefined) return '?';
  return left < 0 ? colors.red(`-${show(-left)}`) : show(left);
}

function barLines(host: HostCapacity, colors: Paint): string[] {
  const asked = (key: 'cpus' | 'memory') => host.users.reduce((sum, user) => sum + user[key], 0);
  return [
    ...(host.cpus === undefined ? [] : [bar('vCPU', asked('cpus'), host.cpus, colors)]),
    ...(host.memory === undefined ? [] : [bar('RAM ', asked('memory'), host.memory, colors)]),
  ];
}

function bar(label: string, used: number, total: number, colors: Paint): string {
  const share = total === 0 ? 1 : used / total;
  const filled = Math.min(BAR_WIDTH, Math.round(share * BAR_WIDTH));
  const color = share > 1 ? colors.red : share > 0.9 ? colors.yellow : colors.green;
  return `${label} ${color('█'.repeat(filled))}${colors.dim('░'.repeat(BAR_WIDTH - filled))} ${Math.round(share * 100)}%`;
}

function storageLines(host: HostCapacity, colors: Paint, bars: boolean): string[] {
  return host.storages.map(({ name, ours, total, used }) => {
    const room = total === undefined ? '' : ` of ${wholeGib(total)}`;
    const taken = used === undefined ? '' : `, ${wholeGib(used)} used`;
    const text = `storage ${name}: ${wholeGib(ours)} for disks of this cluster${room}${taken}`;
    return bars && total !== undefined ? `${text}\n${bar('    ', ours, total, colors)}` : text;
  });
}

function failoverText(failovers: readonly Failover[], colors: Paint): string {
  const lines = failovers.map((failover) => {
    const { etcd, room } = failoverWords(failover);
    const [marked, kept] = [failover.quorum ? etcd : colors.red(etcd), failover.homeless.length === 0];
    return `  ${failover.host}: ${marked}; ${kept ? room : colors.yellow(room)}`;
  });
  return [colors.bold('if a host fails'), ...lines].join('\n');
}
