/** VMs and disks of a config on a lab of its own, without machines in them: fast enough to be cut off everywhere. */
import { awaitEarlierTasks } from '../../src/apply/earlier-tasks.js';
import { type InterlockScope, interlock } from '../../src/apply/interlock.js';
import { acquireLock } from '../../src/apply/lock/lock.js';
import { poolsToHold } from '../../src/apply/lock/pools.js';
import { runPlan } from '../../src/apply/run.js';
import { connectFactory } from '../../src/clients/factory/factory-client.js';
import type { ConnectOptions } from '../../src/clients/proxmox/api-session.js';
import {
  connectProxmox,
  type ProxmoxClient,
  type ProxmoxConnection,
} from '../../src/clients/proxmox/client.js';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';
import type { Design } from '../../src/design/design.js';
import { design } from '../../src/design/design-cluster.js';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import { type Lab, type LabOptions, startLab } from '../../src/lab/index.js';
import { labParts } from '../../src/lab/parts.js';
import { checkVolumes } from '../../src/lab/proxmox/check-volumes.js';
import type { RunEvent, RunResult } from '../../src/model/events.js';
import { observe } from '../../src/observe/observe.js';
import type { Plan } from '../../src/plan/plan.js';
import { planCluster } from '../../src/plan/plan-cluster.js';
import { schematicsOf } from '../../src/session/connect/schematics.js';
import { worldOf } from '../../src/session/lab/lab-world.js';
import { vmidsOf } from '../../src/session/plan/settle-tasks.js';
import { testHolder, testLockTools } from './lock.js';

export function configOf(text: string): Config {
  const { config, diagnostics } = loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined });
  if (!config)
    throw new Error(diagnostics.map((problem) => `${problem.line}: ${problem.message}`).join('\n'));
  return config;
}

export interface Run {
  readonly plan: Plan;
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
}

export class VmSite {
  constructor(
    readonly lab: Lab,
    public config: Config,
    /** Fingerprint of the cluster's secrets. */
    readonly secrets?: string,
  ) {}

  static async start(config: Config, options: LabOptions = {}): Promise<VmSite> {
    return new VmSite(
      await startLab({ world: worldOf(config), parts: labParts({ machines: false }), ...options }),
      config,
    );
  }

  get design(): Design {
    return design(this.config, this.secrets === undefined ? {} : { secrets: this.secrets });
  }

  /** The file has changed. */
  use(text: string): void {
    this.config = configOf(text);
  }

  connect(options: Partial<ConnectOptions> = {}): ProxmoxConnection {
    return connectProxmox({
      endpoints: [this.lab.endpoint],
      token: this.lab.token,
      tls: { kind: 'fingerprint', sha256: this.lab.fingerprint },
      clock: this.lab.clock,
      random: () => 0.5,
      requestTimeoutMs: 2_000,
      ...options,
    });
  }

  async plan(client: ProxmoxClient): Promise<Plan> {
    return planCluster(this.design, await observe(client, this.design));
  }

  /** Plans and applies, as `oxherd apply` does with VMs and disks. */
  async apply(
    client: ProxmoxConnection,
    options: {
      runId?: string;
      scope?: Omit<InterlockScope, 'cluster'>;
      plan?: Plan;
      /** Whoever holds the lock lives. */
      alive?: boolean;
    } = {},
  ): Promise<Run> {
    const { cluster } = this.design;
    const signal = new AbortController().signal;
    const vmids = new Set(vmidsOf(this.config));
    if (!options.plan) await awaitEarlierTasks(client, { cluster, vmids, signal, onWait: () => {} });
    const plan = options.plan ?? (await this.plan(client));
    // Another run is another process.
    const holder = testHolder(options.runId ?? 'run', { pid: options.runId === undefined ? 1 : 2 });
    const tools = testLockTools(client, this.lab.clock, options.alive);
    const lock = await acquireLock(await poolsToHold(client, cluster), holder, tools);
    const events: RunEvent[] = [];
    const factory = connectFactory({
      url: this.config.talos.factory,
      dial: (host, port) => this.lab.dial(host, port),
    });
    try {
      // Without machines there is no cluster that could lose anything.
      const confirmedOutage = plan.steps.flatMap((step) => ('vmid' in step ? [step.vmid] : []));
      const result = await runPlan(
        { ...plan, confirmedOutage },
        {
          runId: holder.runId,
          client: interlock(client.behind(lock.gate), { cluster, clock: this.lab.clock, ...options.scope }),
          clock: this.lab.clock,
          cluster,
          lock,
          schematics: schematicsOf(this.config, factory),
          signal,
          emit: (event) => events.push(event),
        },
      );
      return { plan, result, events };
    } finally {
      await factory.close();
      await lock.release().catch(() => undefined);
    }
  }

  /** Our disks by WWN: the volumes that carry it, on whichever VM. */
  disks(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const vm of this.lab.proxmox.pve.db.vms.values()) {
      for (const drive of diskDrives(vm.config)) {
        if (drive.wwn) found.set(drive.wwn, (found.get(drive.wwn) ?? new Set()).add(drive.file));
      }
    }
    return found;
  }

  /** Every disk of the design once, and no volume that nobody knows. */
  problems(): string[] {
    const disks = this.disks();
    const wanted = this.design.nodes.flatMap((node) =>
      node.drives.map((drive) => [`${node.name}/${drive.name}`, drive.wwn] as const),
    );
    const check = checkVolumes(this.lab.proxmox.pve.db);
    return [
      ...wanted.flatMap(([name, wwn]) => {
        const volumes = disks.get(wwn)?.size ?? 0;
        return volumes === 1 ? [] : [`${name} has ${volumes} volumes`];
      }),
      ...check.problems,
      ...check.dangling.map((volume) => `dangling ${JSON.stringify(volume)}`),
      ...check.loose
        .filter((volume) => !JSON.stringify(volume).includes('vm-9999-'))
        .map((volume) => `loose ${JSON.stringify(volume)}`),
    ];
  }

  stop(): Promise<void> {
    return this.lab.stop();
  }
}
