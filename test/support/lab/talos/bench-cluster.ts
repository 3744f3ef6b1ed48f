import { parseAllDocuments, stringify } from 'yaml';
import { probe, RESOURCES, TalosError } from '../../../../src/clients/talos/index.js';
import { GIB } from '../../../../src/model/size.js';
import { type Bench, type BenchVm, configFor, IMAGE } from './bench.js';

export const VIP = '10.9.0.40';

export type BenchNode = BenchVm & { readonly name: string; readonly role: 'controlplane' | 'worker' };

/** Machines 1 to 3 are control planes. */
export function benchNode(number: number): BenchNode {
  return {
    vmid: 100 + number,
    name: number < 4 ? `cp-${number}` : `work-${number}`,
    role: number < 4 ? 'controlplane' : 'worker',
    ip: `10.9.0.${40 + number}`,
    mac: `BC:24:11:00:00:0${number}`,
    drives: { scsi0: `os-${number}`, scsi1: `data-${number}` },
  };
}

export function addDisks(bench: Bench, number: number): void {
  bench.volumes.set(`os-${number}`, { size: 5 * GIB, content: IMAGE });
  bench.volumes.set(`data-${number}`, { size: 20 * GIB, content: {} });
}

export function benchConfig(number: number, change: Partial<Parameters<typeof configFor>[0]> = {}): string {
  const { name, role, ip, mac } = benchNode(number);
  const vip = role === 'controlplane' ? { vip: VIP } : {};
  return configFor({ role, name, ip, mac, ephemeral: `data-${number}`, ...vip, ...change });
}

/** The config with one of its documents changed; `v1alpha1` is the one without a kind. */
export function edited(
  config: string,
  kind: string,
  change: (body: Record<string, Record<string, unknown>>) => void,
): string {
  const documents = parseAllDocuments(config).map((document) => document.toJS());
  for (const body of documents) if ((body.kind ?? 'v1alpha1') === kind) change(body);
  return documents.map((body) => stringify(body)).join('---\n');
}

/** Gives a machine in maintenance mode its config. */
export async function configure(bench: Bench, number: number, config = benchConfig(number)): Promise<void> {
  const { ip } = benchNode(number);
  const dial = (host: string, port: number) => bench.core.network.dial(host, port);
  await bench.until(async () => (await probe(ip, { dial })) === 'maintenance');
  await (await bench.client(ip, 'none')).applyConfiguration(config, { mode: 'auto' });
}

export async function machineStatusOf(
  bench: Bench,
  number: number,
): Promise<{ ready: boolean; unmet: string }> {
  const client = await bench.client(benchNode(number).ip);
  const resource = await client.get(RESOURCES.machineStatus, 'machine').catch(() => undefined);
  const spec = resource?.spec as { status?: { ready?: boolean; unmetConditions?: unknown[] } } | undefined;
  return { ready: spec?.status?.ready === true, unmet: JSON.stringify(spec?.status?.unmetConditions ?? []) };
}

/** Starts and configures the machines, bootstraps the first one, and waits until all are ready. */
export async function startCluster(
  bench: Bench,
  numbers: readonly number[],
  config: (number: number) => string = (number) => benchConfig(number),
): Promise<void> {
  for (const number of numbers) {
    addDisks(bench, number);
    bench.start(benchNode(number));
  }
  for (const number of numbers) await configure(bench, number, config(number));
  const first = await bench.client(benchNode(1).ip);
  await bench.until(() =>
    first.bootstrap().then(
      () => true,
      (error: unknown) => {
        if (error instanceof TalosError && ['talos.not-ready', 'talos.unreachable'].includes(error.code))
          return false;
        throw error;
      },
    ),
  );
  for (const number of numbers) await bench.until(async () => (await machineStatusOf(bench, number)).ready);
}
