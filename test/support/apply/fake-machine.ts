/** A Talos machine in memory behind the few calls that steps on machines make; what it is sent is recorded. */
import type { StepContext } from '../../../src/apply/support/context.js';
import { TalosError } from '../../../src/clients/talos/errors.js';
import { RESOURCES } from '../../../src/clients/talos/resources.js';
import { CONFIRMED } from './confirmed-guard.js';

interface Sent {
  readonly mode: string;
  readonly dryRun?: boolean;
}

interface VolumeStatus {
  readonly id: string;
  readonly phase: string;
  readonly wwid?: string;
}

export class FakeMachine {
  /** Modes of the configs that were sent, dry runs apart. */
  readonly sent: string[] = [];
  readonly told: string[] = [];
  uuid = 'uuid-of-work-1';
  volumes: VolumeStatus[] = [{ id: 'EPHEMERAL', phase: 'ready' }];
  /** What an unmet condition says: a component that does not come back. */
  unmet: string | undefined;
  /** `before`: the call did not arrive. `after`: it did, and the answer did not. */
  losesAnswer: 'before' | 'after' | undefined;
  /** The process that asks stands still for so long, once: while it pulls images, or asks whether the node is healthy. */
  suspends: { readonly at: 'images' | 'health'; readonly forMs: number; readonly after?: string } | undefined;
  /** Configs under test: Talos takes a tried one back when its time is over. */
  persistent: string;
  #triedUntil: number | undefined;
  #now = 0;

  constructor(
    public active: string,
    private readonly wanted: string,
  ) {
    this.persistent = active;
  }

  /** A run before this one sent it and was cut off. */
  tries(config: string, forMs: number): void {
    this.active = config;
    this.#triedUntil = this.#now + forMs;
  }

  get context(): StepContext {
    const talos = {
      get: async (resource: unknown, id: string) => ({ spec: this.#spec(resource, id) }),
      list: async (resource: unknown) => this.#list(resource),
      applyConfiguration: async (config: string, options: Sent & { readonly tryFor?: number }) =>
        this.#take(config, options),
      pullImage: async () => this.#suspend('images'),
      etcd: {},
    };
    return {
      clock: {
        now: () => this.#now,
        elapsed: () => this.#now,
        sleep: async (ms: number) => this.#pass(ms),
      },
      machines: { hasSecrets: true, talos: { admin: () => talos }, configOf: () => this.wanted },
      memory: new Map<string, string>(),
      progress: (message: string) => this.told.push(message),
      signal: new AbortController().signal,
      guard: CONFIRMED,
    } as unknown as StepContext;
  }

  #spec(resource: unknown, id: string): unknown {
    if (resource === RESOURCES.machineConfig) return id === 'persistent' ? this.persistent : this.active;
    if (resource === RESOURCES.machineStatus) {
      this.#suspend('health');
      const unmetConditions = this.unmet === undefined ? [] : [{ name: 'services', reason: this.unmet }];
      return { stage: 'running', status: { ready: unmetConditions.length === 0, unmetConditions } };
    }
    return { uuid: this.uuid };
  }

  /** Each volume is on a disk of its own. */
  #list(resource: unknown): { id: string; spec: unknown }[] {
    return this.volumes.map(({ id, phase, wwid = '' }, index) =>
      resource === RESOURCES.disks
        ? { id: `sd${index}`, spec: { dev_path: `/dev/disk-${id}`, wwid } }
        : { id, spec: { phase, location: `/dev/disk-${id}` } },
    );
  }

  #take(config: string, { mode, dryRun = false, tryFor = 0 }: Sent & { readonly tryFor?: number }) {
    if (dryRun) return { warnings: [], mode: 'no-reboot', details: '' };
    this.sent.push(mode);
    const lost = this.losesAnswer;
    this.losesAnswer = undefined;
    if (lost !== 'before') {
      this.active = config;
      if (mode !== 'try') this.persistent = config;
      this.#triedUntil = mode === 'try' ? this.#now + tryFor * 1_000 : undefined;
    }
    if (lost !== undefined) throw new TalosError('talos.unreachable', 'connection reset');
    return { warnings: [], mode, details: '' };
  }

  #suspend(at: 'images' | 'health'): void {
    if (this.suspends?.at !== at) return;
    const { forMs, after } = this.suspends;
    this.suspends = undefined;
    this.#pass(forMs);
    if (after !== undefined) this.active = this.persistent = after;
  }

  #pass(ms: number): void {
    this.#now += ms;
    if (this.#triedUntil === undefined || this.#now < this.#triedUntil) return;
    this.#triedUntil = undefined;
    this.active = this.persistent;
    this.unmet = undefined;
  }
}
