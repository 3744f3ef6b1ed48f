import { expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { Site } from '../connect/site.js';
import { awaitYoungNodes } from './await-young-nodes.js';
import type { PreparedPlan } from './plan-request.js';

/** Nodes that are Ready at this second, of a VM that has run for `age` seconds at the start. */
async function waited(readyAt: number, age: number, codes: readonly string[] = ['nodes-away']) {
  let now = 0;
  const said: string[] = [];
  const prepared = () =>
    partOf<PreparedPlan>({
      plan: { problems: now >= readyAt * 1_000 ? [] : codes.map((code) => ({ code, message: code })) },
      design: { nodes: [{ name: 'work-2', talosVm: { vmid: 152 } }] },
      observed: { vms: partVms({ vmid: 152, host: 'pve2', status: 'running' }) },
    });
  const site = partOf<Site>({
    client: { vmStatus: async () => ({ uptime: age + now / 1_000 }) },
    clock: {
      elapsed: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
    },
  });
  const { plan } = await awaitYoungNodes(
    { signal: new AbortController().signal, tell: ({ message }: { message: string }) => said.push(message) },
    site,
    { first: prepared(), host: 'pve2', plan: async () => prepared() },
  );
  return { seconds: now / 1_000, refused: plan.problems.length > 0, said };
}

it('nodes that have just started are waited for, with a word', async () => {
  const { said, ...rest } = await waited(30, 20);
  expect(rest).toEqual({ seconds: 30, refused: false });
  expect(said).toEqual(['waiting for nodes that have just started, work-2 (up for 20s): nodes-away']);
});

it('not without end, not for old ones, and not where something else is in the way', async () => {
  expect(await waited(10_000, 20)).toMatchObject({ seconds: 280, refused: true });
  expect(await waited(30, 900)).toMatchObject({ seconds: 0, refused: true });
  expect(await waited(30, 20, ['nodes-away', 'no-room'])).toMatchObject({ seconds: 0, refused: true });
});
