/**
 * One operation on VMs and disks, alone in its process: plan, apply or destroy.
 * Arguments: config file, operation, lab (JSON). Prints its figures as JSON.
 */
import { readFileSync } from 'node:fs';
import { interlock } from '../.build/apply/interlock.js';
import { acquireLock } from '../.build/apply/lock/lock.js';
import { poolsToHold } from '../.build/apply/lock/pools.js';
import { runPlan } from '../.build/apply/run.js';
import { connectFactory } from '../.build/clients/factory/factory-client.js';
import { connectProxmox } from '../.build/clients/proxmox/client.js';
import { loadConfig } from '../.build/config/load.js';
import { design as designCluster } from '../.build/design/design-cluster.js';
import { observe } from '../.build/observe/observe.js';
import { planCluster } from '../.build/plan/plan-cluster.js';
import { planDestroy } from '../.build/plan/plan-destroy.js';
import { schematicsOf } from '../.build/session/connect/schematics.js';
import { wallClock } from '../.build/session/connect/wall-clock.js';
import { processAt, thisHolder } from '../.build/session/execute/holder.js';

const [file, operation, place] = process.argv.slice(2);
const lab = JSON.parse(place);
const cpu = process.cpuUsage();
const begin = performance.now();
const { config } = loadConfig({ path: file, text: readFileSync(file, 'utf8'), readText: () => undefined });
const design = designCluster(config);
const client = connectProxmox({
  endpoints: [lab.endpoint],
  token: lab.token,
  tls: { kind: 'fingerprint', sha256: lab.fingerprint },
  clock: wallClock,
  random: Math.random,
});
const observed = await observe(client, design);
const plan =
  operation === 'destroy'
    ? planDestroy(design, observed, { deleteData: false })
    : planCluster(design, observed);
if (plan.problems.length > 0) throw new Error(plan.problems.map(({ message }) => message).join('\n'));
if (operation === 'plan' && plan.steps.length > 0)
  throw new Error(`the plan has ${plan.steps.length} steps: ${plan.steps[0].id}`);
if (operation !== 'plan') {
  const { cluster } = config;
  const holder = thisHolder(Date.now());
  const { signal } = new AbortController();
  const pools = await poolsToHold(client, cluster);
  const onWait = (message) => process.stderr.write(`${message}\n`);
  const tools = { client, clock: wallClock, time: wallClock, processAt, onWait, signal };
  const lock = await acquireLock(pools, holder, tools);
  const factory = connectFactory({ url: config.talos.factory, dial: () => lab.factory });
  const failed = [];
  const result = await runPlan(plan, {
    runId: holder.runId,
    client: interlock(client.behind(lock.gate), { cluster, clock: wallClock }),
    clock: wallClock,
    cluster,
    lock,
    schematics: schematicsOf(config, factory),
    signal,
    emit: (event) => event.type === 'step-failed' && failed.push(event.error.message),
  });
  await lock.release();
  await factory.close();
  if (result.outcome !== 'done') throw new Error(`${result.outcome}: ${failed[0]}`);
}
const wallMs = performance.now() - begin;
const { user, system } = process.cpuUsage(cpu);
await client.close();
process.stdout.write(
  JSON.stringify({
    steps: plan.steps.length,
    wallMs,
    cpuMs: (user + system) / 1000,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  }),
);
