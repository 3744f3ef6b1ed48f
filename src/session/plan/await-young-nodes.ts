/**
 * A drain right after a host came back: its nodes have started and are not Ready yet, etcd catches up, pods are few. What
 * passes by itself is waited for; what is still so then is a reason to refuse it.
 */

import type { NodeDesign } from '../../design/design.js';
import { formatDuration } from '../../model/duration.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { nodesOnHost } from '../../plan/facts/drained-nodes.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import type { PreparedPlan } from './plan-request.js';

/** Problems of nodes that have just started. */
const PASSING: ReadonlySet<string> = new Set(['nodes-away', 'etcd-quorum', 'pod-budget', 'gate']);
/** Longer than a node takes from its start until its pods are ready. */
const YOUNG_SECONDS = 5 * 60;
const POLL_MS = 10_000;

export async function awaitYoungNodes(
  { signal, tell }: Pick<SessionContext, 'signal' | 'tell'>,
  site: Pick<Site, 'client' | 'clock'>,
  { first, host, plan }: { first: PreparedPlan; host: string; plan: () => Promise<PreparedPlan> },
): Promise<PreparedPlan> {
  let prepared = first;
  const deadline = site.clock.elapsed() + YOUNG_SECONDS * 1_000;
  for (let said = ''; ; ) {
    const { problems } = prepared.plan;
    const [problem] = problems;
    if (!problem || problems.some(({ code }) => !PASSING.has(code))) return prepared;
    const young = await youngNodes(site, prepared, host);
    if (young.length === 0 || site.clock.elapsed() >= deadline) return prepared;
    const names = young.map(({ name, uptime }) => `${name} (up for ${formatDuration(uptime)})`).join(', ');
    if (problem.message !== said)
      tell({
        kind: 'progress',
        message: `waiting for nodes that have just started, ${names}: ${problem.message}`,
      });
    said = problem.message;
    await site.clock.sleep(POLL_MS, signal);
    prepared = await plan();
  }
}

/** Of the host, and elsewhere those that are not Ready. */
async function youngNodes(
  { client }: Pick<Site, 'client'>,
  { design, observed }: PreparedPlan,
  host: string,
): Promise<{ readonly name: string; readonly uptime: number }[]> {
  const known = observed.kubernetes?.nodes;
  const objects = known?.known ? known.value : [];
  const here = nodesOnHost(design, observed, host);
  const concerned = design.nodes.filter(
    (node) => here.includes(node) || kubeNodeOf(node.name, objects)?.ready === false,
  );
  const running = concerned.flatMap(({ name, talosVm }: NodeDesign) => {
    const vm = visibleVm(observed, talosVm.vmid);
    return vm?.status === 'running' ? [{ name, vm }] : [];
  });
  const ages = await Promise.all(
    running.map(async ({ name, vm }) => ({ name, uptime: (await client.vmStatus(vm.host, vm.vmid)).uptime })),
  );
  return ages.filter(({ uptime }) => uptime < YOUNG_SECONDS);
}
