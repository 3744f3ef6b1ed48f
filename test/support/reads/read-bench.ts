/**
 * One cluster that stands still, read once, and planned many times with one read failing. The session gathers and plans
 * as a command does; failures are injected between it and the clients, so that a case costs some milliseconds.
 */
import type { Site } from '../../../src/session/connect/site.js';
import type { SessionContext } from '../../../src/session/context.js';
import { statusOf } from '../../../src/session/plan/conditions.js';
import { type PlanRequest, planFor } from '../../../src/session/plan/plan-request.js';
import { look, planOf } from '../../../src/session/plan/prepare-plan.js';
import type { Answering, ReadCall, RememberedReads } from '../remembered-reads.js';
import { faultsOf, isRead, type ReadFault } from './read-faults.js';
import { type Covered, seen, type Verdicts, wrongVerdicts } from './read-verdict.js';
import type { ProxmoxView } from './shortened-lists.js';

export interface ReadCase {
  readonly name: string;
  /** What must not be; empty: all is well. */
  run(): Promise<readonly string[]>;
}

/** For one file and one request: what the whole observation leads to, and every case of a read that fails. */
export class ReadBench {
  private constructor(
    private readonly site: Site,
    private readonly context: SessionContext,
    private readonly reads: RememberedReads,
    private readonly request: PlanRequest,
    readonly full: Verdicts,
    private readonly heard: ReadonlyMap<string, ReadCall & Covered>,
  ) {}

  /** `reads` of the same state of the lab, whatever the file. */
  static async open(
    { site, context }: { readonly site: Site; readonly context: SessionContext },
    reads: RememberedReads,
    request: PlanRequest = { kind: 'converge' },
  ): Promise<ReadBench> {
    const heard = new Map<string, ReadCall & Covered>();
    const hear =
      (by: keyof Covered): Answering =>
      (call, remembered) => {
        const before = heard.get(call.key);
        if (isRead(call)) heard.set(call.key, { ...call, plan: false, status: false, ...before, [by]: true });
        return remembered();
      };
    const bench = new ReadBench(site, context, reads, request, EMPTY, heard);
    const plan = await bench.#plan(hear('plan'));
    const status = isPlain(request) ? await bench.#status(hear('status')) : undefined;
    return new ReadBench(site, context, reads, request, { plan, ...(status && { status }) }, heard);
  }

  get readCount(): number {
    return this.heard.size;
  }

  /** One for each way in which each read can fail. */
  cases(): ReadCase[] {
    return [...this.heard.values()].flatMap((read) =>
      faultsOf(read).map((fault) => ({
        name: fault.name,
        run: () => this.#run(read, fault),
      })),
    );
  }

  async #run(read: ReadCall & Covered, fault: ReadFault): Promise<readonly string[]> {
    const answering: Answering = ({ key }, remembered) => (key === read.key ? fault.answer() : remembered());
    return wrongVerdicts(this.full, await this.#verdicts(answering), this.#covered(read));
  }

  /** Through another token, or while a host does not answer. */
  async throughView(view: ProxmoxView): Promise<readonly string[]> {
    const covered = this.#covered({ name: view.name, ...view.covers });
    return wrongVerdicts(this.full, await this.verdictsThrough(view), covered);
  }

  async verdictsThrough({ name, client }: Pick<ProxmoxView, 'name' | 'client'>): Promise<Verdicts> {
    const site = { ...this.site, client: await client() };
    const other = new ReadBench(site, this.context, this.reads, this.request, EMPTY, this.heard);
    return other.#verdicts(undefined, name);
  }

  /** Only the plan and the status of the whole file claim to cover every read. */
  #covered({ name, plan, status }: Covered & Pick<ReadCall, 'name'>): Covered {
    if (!isPlain(this.request)) return { plan: false, status: false };
    // A machine that left the file has steps or a problem of its own.
    const [, ip] = /^talos\.admin\(\["([^"]+)"\]\)/.exec(name) ?? [];
    if (ip !== undefined && !this.site.config.nodes.some((node) => node.ip === ip))
      return { plan: false, status: false };
    return { plan: plan && !FACTS.test(name), status: status && name !== 'proxmox.clusterStatus' };
  }

  async #verdicts(answering?: Answering, proxmox?: string): Promise<Verdicts> {
    // One look serves both: it reads for the status what it reads for a plan, and more.
    if (!isPlain(this.request)) return { plan: await this.#plan(answering, proxmox) };
    const site = this.reads.of(this.site, answering, proxmox);
    const situation = await seen(() => look(site, { machines: true, health: true }));
    if ('error' in situation) return { plan: situation, status: situation };
    const plan = await seen(async () => (await planOf(site, situation.value)).plan);
    return { plan, status: await seen(() => statusOf(this.context, site, situation.value)) };
  }

  #plan(answering?: Answering, proxmox?: string) {
    const site = this.reads.of(this.site, answering, proxmox);
    return seen(async () => (await planFor(site, this.request)).plan);
  }

  #status(answering: Answering) {
    const site = this.reads.of(this.site, answering);
    return seen(async () => statusOf(this.context, site, await look(site, { machines: true, health: true })));
  }
}

/** What `oxherd plan` asks for: its observation serves the status as well. */
function isPlain(request: PlanRequest): boolean {
  return request.kind === 'converge' && Object.keys(request).length === 1;
}

const EMPTY: Verdicts = { plan: { error: 'not planned' } };

/**
 * An API server that does not answer is a fact of the status; a plan compares nothing with it while another answers.
 * Without the status of the Proxmox cluster its quorum is asked of HA.
 */
const FACTS = /^kubernetes\.ready$|^proxmox\.clusterStatus$/;
