/** A run with machines that is cut off at its n-th call, and a second one that must set everything right. */

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientFilesFolder } from '../../src/secrets/locate.js';
import { type Swept, sweepPoints } from './crash.js';
import { type Cut, CutLine } from './cut-line.js';
import { MachineSite } from './machine-site.js';
import { type Series, series } from './shard.js';
import { configOf, VmSite } from './vm-site.js';

const SECRETS = fileURLToPath(
  new URL('../fixtures/design/machine-config/talos-v1.12/secrets.yaml', import.meta.url),
);

export interface MachineScenario {
  /** The cluster that runs before; absent: its VMs are made and have not been started. */
  readonly start?: string;
  readonly config: string;
}

export interface MachineOutcome {
  /** False: the run had fewer calls, so it was not cut off. */
  readonly cut: boolean;
  readonly calls: number;
  readonly problems: readonly string[];
}

export class MachineRehearsal {
  #begin: string | undefined;

  constructor(private readonly scenario: MachineScenario) {}

  async cutOff(calls: number, cut: Cut): Promise<MachineOutcome> {
    return this.#interrupted(() => new CutLine(calls, cut));
  }

  /** Right after the n-th call that changes a machine, counted from 1. */
  async cutAfterWrite(number: number): Promise<MachineOutcome> {
    return this.#interrupted(() => new CutLine(Number.POSITIVE_INFINITY, 'after', number));
  }

  #interrupted(lineOf: () => CutLine): Promise<MachineOutcome> {
    return this.inCopy(async (site) => {
      const line = lineOf();
      await site.apply(line, 'first').catch(() => undefined);
      return { cut: line.isCut, calls: line.calls, problems: await convergenceProblems(site) };
    });
  }

  /** The scenario's beginning in a folder of its own. */
  async inCopy<T>(
    work: (site: MachineSite) => Promise<T>,
    options: Parameters<typeof MachineSite.open>[2] = {},
  ): Promise<T> {
    this.#begin ??= await this.#build();
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-machines-'));
    cpSync(this.#begin, folder, { recursive: true });
    const site = await MachineSite.open(this.scenario.config, folder, options);
    try {
      return await work(site);
    } finally {
      await site.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  dispose(): void {
    if (this.#begin) rmSync(this.#begin, { recursive: true, force: true });
  }

  async #build(): Promise<string> {
    const { start, config } = this.scenario;
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-machines-'));
    // Real ones of talosctl: new ones take longer than a whole run.
    const files = clientFilesFolder({ cwd: folder, lab: true }, configOf(config).cluster);
    mkdirSync(files, { recursive: true });
    cpSync(SECRETS, join(files, 'secrets.yaml'));
    const site = await MachineSite.open(start ?? config, folder, { machines: start !== undefined });
    if (start !== undefined) await site.apply();
    else {
      // VMs alone, with nothing in them yet: the machines' first boot is when the lab opens again.
      const vms = new VmSite(site.lab, configOf(config));
      const client = vms.connect();
      await vms.apply(client);
      await client.close();
    }
    await site.stop();
    return folder;
  }
}

/** What is wrong after another run, which has to set everything right. */
export async function convergenceProblems(site: MachineSite): Promise<string[]> {
  const second = await site.apply(new CutLine(), 'second');
  const failed = second.events.flatMap((event) =>
    event.type === 'step-failed' ? [`${event.step}: ${event.error.message}`] : [],
  );
  const last = await site.plan();
  return [
    ...second.plan.problems.map(({ message }) => message),
    ...failed,
    ...last.steps.map((step) => `last plan: ${step.id} (${step.reasons.join('; ')})`),
    ...site.problems(),
  ];
}

/** Cuts the scenario off at every point of the series, until it has no more calls. */
export async function cutOffEverywhere(
  rehearsal: MachineRehearsal,
  what: string,
  cuts: readonly Cut[],
  points: Series = series({}),
): Promise<Swept> {
  return sweepPoints(what, cuts, points, (cut, calls) => rehearsal.cutOff(calls, cut));
}
