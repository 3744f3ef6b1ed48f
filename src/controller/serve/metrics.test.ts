import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';

/** The text format 0.0.4, read strictly: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function parse(text: string): Map<string, { type: string; samples: Map<string, number> }> {
  expect(text.endsWith('\n')).toBe(true);
  const families = new Map<string, { type: string; samples: Map<string, number> }>();
  let family = '';
  let help = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    if (comment?.[1] === 'HELP') {
      help = comment[2] ?? '';
      continue;
    }
    if (comment) {
      family = comment[2] ?? '';
      expect(family).toBe(help);
      expect(families.has(family)).toBe(false);
      expect(comment[3]).toMatch(/^(counter|gauge|histogram)$/);
      families.set(family, { type: comment[3] ?? '', samples: new Map() });
      continue;
    }
    const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
    const [, name = '', labels = '', value = ''] =
      new RegExp(
        `^([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{${label}(?:,${label})*\\})? (-?[0-9.e+-]+|NaN|[+-]Inf)$`,
      ).exec(line) ?? [];
    expect(name, line).not.toBe('');
    const known = families.get(family);
    const suffix = name.slice(family.length);
    expect(name.startsWith(family)).toBe(true);
    expect(known?.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).toContain(suffix);
    expect(known?.samples.has(name + labels), `twice: ${line}`).toBe(false);
    known?.samples.set(name + labels, Number(value));
  }
  return families;
}

describe('metrics', () => {
  it('are what Prometheus reads', () => {
    const metrics = new Metrics();
    metrics.add('oxherd_runs_total', { outcome: 'done' });
    metrics.add('oxherd_runs_total', { outcome: 'done' });
    metrics.add('oxherd_runs_total', { outcome: 'odd "quoted" \\ and\nbroken' });
    metrics.set('oxherd_cluster_condition', -1, { namespace: 'a', name: 'b', type: 'Ready' });
    metrics.set('oxherd_queue_depth', 3);
    for (const seconds of [0.05, 0.4, 7, 100_000]) metrics.observe('oxherd_run_seconds', seconds);
    const families = parse(metrics.text());
    for (const [name, { type }] of families) expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(families.get('oxherd_runs_total')?.samples.get('oxherd_runs_total{outcome="done"}')).toBe(2);
    const buckets = [...(families.get('oxherd_run_seconds')?.samples ?? [])];
    const counts = buckets.filter(([key]) => key.includes('_bucket')).map(([, count]) => count);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBe(4);
    expect(buckets.find(([key]) => key === 'oxherd_run_seconds_count')?.[1]).toBe(4);
    expect(buckets.map(([key]) => key)).toContain('oxherd_run_seconds_bucket{le="+Inf"}');
  });

  it('forget an object that is gone, and no other', () => {
    const metrics = new Metrics();
    metrics.set('oxherd_cluster_plan_steps', 1, { namespace: 'a', name: 'b' });
    metrics.set('oxherd_cluster_plan_steps', 2, { namespace: 'a', name: 'bb' });
    metrics.forget({ namespace: 'a', name: 'b' });
    expect([...(parse(metrics.text()).get('oxherd_cluster_plan_steps')?.samples.values() ?? [])]).toEqual([
      2,
    ]);
  });
});
