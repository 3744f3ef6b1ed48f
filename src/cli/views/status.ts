/** Health for people: a line per subject that is well, every failure with what to look at. */
import { type Condition, isHealthy, LAYERS, type Layer } from '../../health/condition.js';
import { type Paint, paint } from './paint.js';

const TITLES: Record<Layer, string> = {
  proxmox: 'Proxmox',
  machines: 'Machines',
  volumes: 'Volumes',
  etcd: 'etcd',
  kubernetes: 'Kubernetes',
  certificates: 'Certificates',
};

export function statusText(
  conditions: readonly Condition[],
  { color, all }: { color: boolean; all: boolean },
): string {
  const colors = paint(color);
  const blocks = LAYERS.flatMap((layer) => {
    const own = conditions.filter((condition) => condition.layer === layer);
    return own.length === 0 ? [] : [layerText(layer, own, colors, all)];
  });
  return [...blocks, verdict(conditions, colors)].join('\n\n');
}

function layerText(layer: Layer, conditions: readonly Condition[], colors: Paint, all: boolean): string {
  const subjects = [...new Set(conditions.map((condition) => condition.subject ?? ''))];
  const width = Math.max(...subjects.map((subject) => subject.length));
  const lines = subjects.flatMap((subject) => {
    const own = conditions.filter((condition) => (condition.subject ?? '') === subject);
    const ill = own.filter(({ state }) => state === 'failed' || state === 'unknown' || state === 'note');
    const label = subject.padEnd(width);
    if (all || ill.length > 0)
      return (all ? own : ill).flatMap((condition) => conditionLines(label, condition, colors));
    const skipped = own.every((condition) => condition.state === 'skipped');
    const mark = skipped ? colors.dim('·') : colors.green('✓');
    return [
      `  ${mark} ${label}${width > 0 ? '  ' : ''}${colors.dim(own.map((condition) => condition.message).join(', '))}`,
    ];
  });
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

function verdict(conditions: readonly Condition[], colors: Paint): string {
  const failed = conditions.filter((condition) => condition.state === 'failed').length;
  const unknown = conditions.filter((condition) => condition.state === 'unknown').length;
  if (isHealthy(conditions)) return colors.green(`Healthy: ${conditions.length} conditions hold.`);
  const parts = [failed > 0 ? `${failed} failed` : '', unknown > 0 ? `${unknown} unknown` : ''].filter(
    Boolean,
  );
  return colors.red(`Not healthy: of ${conditions.length} conditions ${parts.join(' and ')}.`);
}
