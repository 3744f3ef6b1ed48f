/** A config on a lab with machines in its VMs, driven as `oxherd apply` does, up to the Talos cluster. */
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { interlock } from '../../src/apply/interlock.js';
import { acquireLock } from '../../src/apply/lock/lock.js';
import { poolsToHold } from '../../src/apply/lock/pools.js';
import { runPlan } from '../../src/apply/run.js';
import type { CliContext } from '../../src/cli/context.js';
import { connectFactory } from '../../src/clients/factory/factory-client.js';
import {
  connectProxmox,
  type ProxmoxClient,
  type ProxmoxConnection,
} from '../../src/clients/proxmox/client.js';
import type { Config } from '../../src/config/config.js';
import type { Design } from '../../src/design/design.js';
import { design } from '../../src/design/design-cluster.js';
import { type Fault, type Lab, startLab } from '../../src/lab/index.js';
import { labParts } from '../../src/lab/parts.js';
import { folderState } from '../../src/lab/state.js';
import { openTalosDb, type TalosDb } from '../../src/lab/talos/machine/machine-record.js';
import type { Clock } from '../../src/model/clock.js';
import { observe } from '../../src/observe/observe.js';
import { observeMachines } from '../../src/observe/observe-machines.js';
import { observeRemovedMachines } from '../../src/observe/observe-removed-machines.js';
import type { Observed } from '../../src/observe/observed.js';
import { unobservedMachines } from '../../src/plan/machines/unobserved-machines.js';
import type { Plan } from '../../src/plan/plan.js';
import { planCluster } from '../../src/plan/plan-cluster.js';
import { type Machines, openMachines } from '../../src/session/connect/machines.js';
import { schematicsOf } from '../../src/session/connect/schematics.js';
import { leasesOf, worldOf } from '../../src/session/lab/lab-world.js';
import { awaitMachines } from '../../src/session/plan/await-machines.js';
import { CutLine, type Line, throughLine } from './cut-line.js';
import { testHolder, testLockTools } from './lock.js';
import { configOf, type Run } from './vm-site.js';

export class MachineSite {
  private constructor(
    readonly lab: Lab,
    readonly config: Config,
    private readonly folder: string,
  ) {}

  /** In a folder of its own: the lab's state and the secrets. */
  static async open(
    text: string,
    folder: string,
    options: { machines?: boolean; faults?: readonly Fault[] } = {},
  ): Promise<MachineSite> {
    const config = configOf(text);
    const lab = await startLab({
      state: await folderState(join(folder, '.oxherd', 'lab')),
      world: worldOf(config),
      parts: labParts({ machines: options.machines ?? true, leases: leasesOf(config) }),
      faults: options.faults ?? [],
    });
    return new MachineSite(lab, config, folder);
  }

  get design(): Design {
    return design(this.config);
  }

  /** What the machines of the lab have written down. */
  get talos(): TalosDb {
    return openTalosDb(this.lab.core.store);
  }

  /** Plans and applies; through a line that may be cut. What the plan could not see is planned again, as `apply` does. */
  async apply(line: Line = new CutLine(), runId = 'run'): Promise<Run> {
    return this.#connected(line, async (client, machines) => {
      const first = await this.#settledPlan(client, machines, line);
      const run = { plan: first.plan, ...(await this.#carryOut(first.plan, client, machines, line, runId)) };
      if (run.result.outcome !== 'done' || unobservedMachines(first.plan, first.observed).length === 0)
        return run;
      const again = await this.#settledPlan(client, machines, line);
      const { result, events } = await this.#carryOut(again.plan, client, machines, line, runId);
      return { plan: first.plan, result, events: [...run.events, ...events] };
    });
  }

  async plan(): Promise<Plan> {
    return this.#connected(
      new CutLine(),
      async (client, machines) => (await this.#plan(client, machines)).plan,
    );
  }

  /** As root, past every guard. */
  byHand<T>(work: (client: ProxmoxClient) => Promise<T>): Promise<T> {
    return this.#connected(new CutLine(), (client) => work(client));
  }

  /** What is not as it must be in the end, whatever happened on the way. */
  problems(): string[] {
    const clusters = [...this.talos.etcd.values()];
    const planes = this.config.nodes.filter((node) => node.role === 'controlplane').length;
    const members = clusters[0]?.members ?? [];
    return [
      ...(clusters.length === 1 ? [] : [`etcd was bootstrapped ${clusters.length} times`]),
      ...(members.length === planes ? [] : [`etcd has ${members.length} members`]),
      ...members.filter((member) => member.learner).map((member) => `${member.name} is a learner`),
    ];
  }

  stop(): Promise<void> {
    return this.lab.stop();
  }

  async #settledPlan(client: ProxmoxClient, machines: Machines, line: Line) {
    const made = await this.#plan(client, machines);
    const wait = { talos: machines.talos, client, clock: this.#clock(line), signal: line.signal };
    const waited = await awaitMachines(this.design, made.observed, { ...wait, progress: () => {} });
    return waited ? this.#plan(client, machines) : made;
  }

  async #plan(client: ProxmoxClient, machines: Machines): Promise<{ plan: Plan; observed: Observed }> {
    const vms = await observe(client, this.design);
    const seen = await observeMachines(machines.talos, client, this.design, vms);
    const desired = await machines.desired(this.design);
    const removedMachines = await observeRemovedMachines(machines.talos, client, this.design, vms);
    const observed = { ...vms, machines: seen, removedMachines };
    const plan = planCluster(this.design, observed, { machines: desired, policy: this.config.policy });
    return { plan, observed };
  }

  async #carryOut(
    plan: Plan,
    client: ProxmoxConnection,
    machines: Machines,
    line: Line,
    runId: string,
  ): Promise<Pick<Run, 'result' | 'events'>> {
    const { cluster } = this.config;
    // Another process each time: its lock is left behind by a cut, and it is dead.
    const clock = this.#clock(line);
    const tools = testLockTools(client, clock);
    const lock = await acquireLock(await poolsToHold(client, cluster), testHolder(runId), tools);
    const events: Run['events'][number][] = [];
    const factory = connectFactory({
      url: this.config.talos.factory,
      dial: (host, port) => this.lab.dial(host, port),
    });
    try {
      const result = await runPlan(plan, {
        runId,
        client: interlock(client.behind(lock.gate), { cluster, clock }),
        clock,
        cluster,
        lock,
        schematics: schematicsOf(this.config, factory),
        machines: machines.access(this.design, client, () => undefined, lock.gate),
        signal: line.signal,
        emit: (event) => events.push(event),
      });
      return { result, events };
    } finally {
      await factory.close();
      await lock.release().catch(() => undefined);
    }
  }

  async #connected<T>(
    line: Line,
    work: (client: ProxmoxConnection, machines: Machines) => Promise<T>,
  ): Promise<T> {
    const opened = await openMachines(this.#context(line.signal), {
      config: this.config,
      directory: this.folder,
      clock: this.#clock(line),
      dial: (ip, port) => this.lab.dial(ip, port),
      create: true,
    });
    const connection = connectProxmox({
      endpoints: [this.lab.endpoint],
      token: this.lab.token,
      tls: { kind: 'fingerprint', sha256: this.lab.fingerprint },
      clock: this.#clock(line),
      random: () => 0.5,
      requestTimeoutMs: 2_000,
      signal: line.signal,
      onRequest: ({ method, path }) => line.request(method, path),
    });
    const client = line.process?.proxmox(connection) ?? connection;
    try {
      const talos = throughLine(opened.talos, line);
      const access: Machines['access'] = (...args) => ({
        ...opened.access(...args),
        talos: talos.behind(args[3]),
      });
      return await work(client, { ...opened, talos, access });
    } finally {
      opened.close();
      await connection.close().catch(() => undefined);
    }
  }

  #clock(line: Line): Clock {
    return line.process?.clock(this.lab.clock) ?? this.lab.clock;
  }

  #context(signal: AbortSignal): CliContext {
    const nowhere = new PassThrough().resume();
    return {
      cwd: this.folder,
      env: { HOME: this.folder },
      stdin: Readable.from([]),
      stdout: nowhere,
      stderr: nowhere,
      globals: { config: 'oxherd.yaml', lab: true, faults: [], json: false, color: false },
      commands: [],
      signal,
      configPath: 'oxherd.yaml',
      target: { kind: 'lab' },
      tell: () => {},
    };
  }
}
