/** A cluster as its file says it, and what must hold after every change of it. */
import type fc from 'fast-check';
import { expect } from 'vitest';
import { ended } from './cli.js';
import type { ClusterSite } from './cluster-site.js';
import { type Herd, herd } from './herd.js';
import { AFTER_A_FAULT, keptData, type Limits } from './watcher.js';

export interface HerdModel {
  controlPlanes: number;
  workers: number;
  cores: number;
  /** GiB. */
  memory: number;
  /** GiB by name. */
  volumes: Record<string, number>;
  labels: Record<string, string>;
  /** A machine config that takes effect at a reboot, and one that does at once. */
  environment: string;
  sysctl: string;
  talos: string;
  kubernetes: string;
}

export interface Bench {
  readonly site: ClusterSite;
  /** A VM of somebody else. */
  readonly foreign: number;
  readonly foreignBefore: string;
}

export type Step = fc.AsyncCommand<HerdModel, Bench, true>;

export function modelOf(first: Herd): HerdModel {
  return {
    controlPlanes: first.controlPlanes ?? 3,
    workers: first.workers ?? 3,
    cores: 2,
    memory: 4,
    volumes: { scratch: 1 },
    labels: {},
    environment: '',
    sysctl: '',
    talos: 'v1.13.9',
    kubernetes: 'v1.34.0',
  };
}

export function textOf(model: HerdModel): string {
  const { memory, volumes, environment, sysctl, ...same } = model;
  const patches = [
    ...(environment === '' ? [] : [{ machine: { env: { LANG: environment } } }]),
    ...(sysctl === '' ? [] : [{ machine: { sysctls: { 'vm.swappiness': sysctl } } }]),
  ];
  return herd({
    ...same,
    memory: `${memory}GiB`,
    volumes: Object.fromEntries(Object.entries(volumes).map(([name, size]) => [name, `${size}GiB`])),
    ...(patches.length > 0 && { schematic: `  patches: { all: ${JSON.stringify(patches)} }` }),
  });
}

/** The command ends well, nothing that must not be was seen meanwhile, and then nothing is left to do. */
export async function holds(
  bench: Bench,
  args: readonly string[],
  limits: Partial<Limits> = {},
): Promise<void> {
  const before = keptData(bench.site.lab);
  const { result, report } = await bench.site.watch(args, { ...AFTER_A_FAULT, ...limits });
  ended(result);
  expect(report.violations).toEqual([]);
  await holdsNow(bench, before);
}

/** What must hold whenever nothing runs. */
export async function holdsNow(bench: Bench, before: readonly string[]): Promise<void> {
  const { site } = bench;
  expect(keptData(site.lab)).toEqual(expect.arrayContaining([...before]));
  expect(foreignVm(site, bench.foreign)).toBe(bench.foreignBefore);
  expect(site.etcd).toHaveLength(1);
  expect(ended(await site.run('plan', '--exit-code'))).toContain('No changes');
}

export function foreignVm(site: ClusterSite, vmid: number): string {
  const { vms, volumes } = site.lab.proxmox.pve.db;
  const own = [...volumes.entries()].filter(([, volume]) => volume.owner === vmid);
  return JSON.stringify([vms.get(String(vmid)), own]);
}
