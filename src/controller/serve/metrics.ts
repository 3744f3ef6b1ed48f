/** Counters, gauges and histograms as Prometheus reads them (text format 0.0.4). */
type Labels = Readonly<Record<string, string>>;
type MetricKind = 'counter' | 'gauge' | 'histogram';

interface Family {
  readonly help: string;
  readonly kind: MetricKind;
  /** Labels as text → value. */
  readonly values: Map<string, number>;
  readonly buckets: Map<string, Histogram>;
}

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Seconds: a plan of a small cluster to an upgrade of a large one. */
const BUCKETS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600];

const FAMILIES = {
  oxherd_reconciles_total: ['counter', 'Reconciliations by their end.'],
  oxherd_reconcile_seconds: ['histogram', 'How long a reconciliation took, by what it was of.'],
  oxherd_runs_total: ['counter', 'Runs by their outcome.'],
  oxherd_run_seconds: ['histogram', 'How long a run took.'],
  oxherd_lease_lost_total: ['counter', 'Leases that were lost while a run went on.'],
  oxherd_watch_restarts_total: ['counter', 'Lists after a watch was too old, by kind.'],
  oxherd_site_polls_total: ['counter', 'Looks at all guests of a site, for all its clusters.'],
  oxherd_site_requests_total: ['counter', 'Requests of this replica to the Proxmox of a site.'],
  oxherd_backups_total: ['counter', 'Scheduled etcd snapshots by their outcome.'],
  oxherd_cluster_last_backup_timestamp_seconds: ['gauge', 'When the last etcd snapshot was taken.'],
  oxherd_queue_depth: ['gauge', 'Keys that wait.'],
  oxherd_working: ['gauge', 'Keys in work.'],
  oxherd_replicas: ['gauge', 'Replicas that are alive, as this one sees it.'],
  oxherd_cluster_condition: ['gauge', '1: the condition is True, 0: False, -1: Unknown.'],
  oxherd_site_reachable: ['gauge', '1: the Proxmox of the site answered, 0: it did not.'],
  oxherd_cluster_plan_steps: ['gauge', 'Steps of the plan for what is there now.'],
} as const satisfies Record<string, readonly [MetricKind, string]>;
type MetricName = keyof typeof FAMILIES;

export class Metrics {
  readonly #families = new Map<MetricName, Family>();

  add(name: MetricName, labels: Labels = {}, by = 1): void {
    const { values } = this.#family(name);
    const key = labelText(labels);
    values.set(key, (values.get(key) ?? 0) + by);
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.#family(name).values.set(labelText(labels), value);
  }

  observe(name: MetricName, seconds: number, labels: Labels = {}): void {
    const { buckets } = this.#family(name);
    const key = labelText(labels);
    const histogram = buckets.get(key) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    buckets.set(key, histogram);
    histogram.sum += seconds;
    histogram.count += 1;
    for (const [index, most] of BUCKETS.entries())
      if (seconds <= most) histogram.counts[index] = (histogram.counts[index] ?? 0) + 1;
  }

  /** Of an object that is gone. */
  forget(labels: Labels): void {
    const part = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
    for (const { values } of this.#families.values())
      for (const key of values.keys()) if (part.every((one) => key.includes(one))) values.delete(key);
  }

  text(): string {
    const lines: string[] = [];
    for (const [name, { help, kind, values, buckets }] of [...this.#families].sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
      for (const [labels, value] of values) lines.push(`${name}${braced(labels)} ${value}`);
      for (const [labels, histogram] of buckets) lines.push(...histogramLines(name, labels, histogram));
    }
    return `${lines.join('\n')}\n`;
  }

  #family(name: MetricName): Family {
    const known = this.#families.get(name);
    if (known) return known;
    const [kind, help] = FAMILIES[name];
    const family: Family = { help, kind, values: new Map(), buckets: new Map() };
    this.#families.set(name, family);
    return family;
  }
}

function histogramLines(name: string, labels: string, { counts, sum, count }: Histogram): string[] {
  const with_ = (le: string) => braced([labels, `le="${le}"`].filter((part) => part !== '').join(','));
  return [
    ...BUCKETS.map((most, index) => `${name}_bucket${with_(String(most))} ${counts[index] ?? 0}`),
    `${name}_bucket${with_('+Inf')} ${count}`,
    `${name}_sum${braced(labels)} ${sum}`,
    `${name}_count${braced(labels)} ${count}`,
  ];
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}="${escaped(value)}"`)
    .join(',');
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
