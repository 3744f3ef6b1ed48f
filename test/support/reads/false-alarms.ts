/** With nothing failing, a token with fewer rights gives the plans, the verdicts and the exit codes of one with all. */
import { healthVerdict } from '../../../src/health/condition.js';
import type { ClusterSite } from '../cluster-site.js';
import { RememberedReads } from '../remembered-reads.js';
import { ReadBench } from './read-bench.js';
import type { ReadState } from './read-situations.js';
import { newSteps, type Verdicts } from './read-verdict.js';
import { clientWith, documentedGrants, poolGrants } from './tokens.js';

/** What differs from the plan and the status of a token with all rights. */
export async function falseAlarms(
  states: readonly ReadState[],
  oneIn = 1,
): Promise<{ plans: number; wrong: string[] }> {
  const wrong: string[] = [];
  let [plans, number] = [0, 0];
  for (const state of states) {
    const cluster = await state.open();
    const reads = new RememberedReads();
    const built = cluster.config;
    const views = [
      { name: 'the documented token', client: await clientWith(cluster, 'oxherd', documentedGrants()) },
      { name: 'a token on its pool', client: await poolToken(cluster) },
    ];
    try {
      for (const { name, text = built, request } of state.situations) {
        if (request || number++ % oneIn !== 0) continue;
        cluster.config = text;
        await cluster.connected(async (site, context) => {
          const bench = await ReadBench.open({ site, context }, reads);
          for (const view of views) {
            plans += 1;
            const found = await bench.verdictsThrough({ name: view.name, client: async () => view.client });
            wrong.push(
              ...differences(bench.full, found).map(
                (line) => `${state.name} | ${name} | ${view.name}: ${line}`,
              ),
            );
          }
        });
      }
    } finally {
      for (const { client } of views) await client.close();
      await cluster.remove();
    }
  }
  return { plans, wrong };
}

/** The VMs that are there are in a pool of a person, and the rights on VMs come from it. */
async function poolToken(cluster: ClusterSite) {
  const pool = 'mine';
  const { pools, vms } = cluster.lab.proxmox.pve.db;
  const members = [...vms.values()].map(({ vmid }) => vmid);
  const other = [...pools.values()].find((one) => one.vms.length > 0);
  await cluster.byHand((root) => root.createPool(pool));
  // A VM is in one pool: where oxherd keeps one, the rights are given on both.
  pools.update(pool, (one) => ({ ...one, vms: members.filter((vmid) => !other?.vms.includes(vmid)) }));
  const grants = poolGrants(pool);
  const both = other ? poolGrants(other.id).filter(({ path }) => path === `/pool/${other.id}`) : [];
  return clientWith(cluster, 'poolonly', [...grants, ...both]);
}

/** Steps without which `plan` prints commands for an administrator: `oxherd doctor` names these rights as optional. */
const BY_ADMIN = /^new step (set-role|create-user|set-acl|create-csi-token):/;

function differences(full: Verdicts, found: Verdicts): string[] {
  if ('error' in full.plan || 'error' in found.plan)
    return JSON.stringify(full.plan) === JSON.stringify(found.plan)
      ? []
      : [JSON.stringify(found.plan).slice(0, 300)];
  const codes = (verdicts: Verdicts['plan']) =>
    'value' in verdicts
      ? verdicts.value.problems.map(({ code, message }) => `${code}: ${message}`).sort()
      : [];
  const fewer = newSteps(found.plan, full.plan.value)
    .filter((line) => !BY_ADMIN.test(line))
    .map((line) => `missing: ${line}`);
  const problems = codes(found.plan).filter((code) => !codes(full.plan).includes(code));
  return [
    ...newSteps(full.plan, found.plan.value),
    ...fewer,
    ...problems,
    ...found.plan.value.incomplete.map(({ what, why }) => `not compared: ${what}: ${why}`),
    ...healthOf(full, found),
  ];
}

function healthOf(full: Verdicts, found: Verdicts): string[] {
  const verdict = ({ status }: Verdicts) =>
    status && 'value' in status
      ? healthVerdict(status.value.conditions, status.value.incomplete.length === 0)
      : 'error';
  const [was, is] = [verdict(full), verdict(found)];
  return was === is ? [] : [`status is ${is}, and ${was} with all rights`];
}
