/** What happens to a cluster besides changes of its file: orders, kills, faults in the middle of a change. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { FaultName } from '../../src/lab/faults.js';
import { ended } from './cli.js';
import { EDITS, type Edit, makeEdit } from './herd-edits.js';
import { type Bench, holds, holdsNow, type Step } from './herd-model.js';
import { helpByHand } from './rolling-faults.js';
import { AFTER_A_FAULT, keptData, type Limits } from './watcher.js';

const NODES = [
  { name: 'cp-1', vmid: 141, host: 'pve1' },
  { name: 'cp-2', vmid: 142, host: 'pve2' },
  { name: 'cp-3', vmid: 143, host: 'pve3' },
  { name: 'work-1', vmid: 151, host: 'pve1' },
] as const;
type Node = (typeof NODES)[number];

function order(name: string, args: readonly string[], limits: Partial<Limits> = {}): Step {
  return {
    check: async () => true,
    run: (_, bench) => holds(bench, args, limits),
    toString: () => name,
  };
}

/** Somebody pulls the plug, or loses more than that; the next apply brings the machine back with its data. */
function kill(name: string, node: Node, how: (bench: Bench) => Promise<unknown>): Step {
  return {
    check: async () => true,
    async run(_, bench) {
      const before = keptData(bench.site.lab);
      await how(bench);
      // Kubernetes notices a lost node, and what ran there is made anew elsewhere.
      await bench.site.lab.clock.sleep(NOTICED_MS);
      expect(keptData(bench.site.lab)).toEqual(expect.arrayContaining(before));
      await holds(bench, ['apply', '--yes']);
    },
    toString: () => `${name} ${node.name}`,
  };
}

const NOTICED_MS = 10 * 60_000;

const powerOff = (node: Node): Step =>
  kill('power off', node, ({ site }) =>
    site.byHand((hand) => hand.runTask(() => hand.stopVm(node.host, node.vmid))),
  );

const loseVm = (node: Node): Step =>
  kill('lose the VM of', node, ({ site }) =>
    site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm(node.host, node.vmid));
      await hand.runTask(() => hand.destroyVm(node.host, node.vmid));
    }),
  );

const loseSystemDisk = (node: Node): Step =>
  kill('lose the system disk of', node, ({ site }) =>
    site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm(node.host, node.vmid));
      // First it becomes an unused one, then it is gone.
      for (const key of ['scsi0', 'unused0']) await hand.updateVm(node.host, node.vmid, { delete: [key] });
    }),
  );

/** Everything goes and comes back: quorum and API are away meanwhile, the data is not. */
const destroyAndApply: Step = {
  check: async () => true,
  async run(_, bench) {
    const before = keptData(bench.site.lab);
    ended(await bench.site.run('destroy', '--yes'));
    expect(keptData(bench.site.lab)).toEqual(expect.arrayContaining(before));
    await holds(bench, ['apply', '--yes'], { quorum: false, away: 99, handOverSeconds: 3_600 });
  },
  toString: () => 'destroy and apply',
};

/** Blows that fall once: after them a run converges, or stops and is gone on with. */
const BLOWS: readonly FaultName[] = [
  'api-error',
  'drop-before',
  'drop-after',
  'lock-timeout',
  'task-fails',
  'task-warns',
  'storage-full',
  'machine-stuck',
  'machine-falls-back',
  'download-fails',
  'call-drop-before',
  'call-drop-after',
  'kube-error',
];

function editUnderFault(edit: Edit, fault: FaultName, countdown: number): Step {
  return {
    check: async (model) => edit.possible(model),
    async run(model, bench) {
      const { site } = bench;
      const before = keptData(bench.site.lab);
      makeEdit(edit, model, bench);
      site.lab.core.faults.set({ name: fault, subject: '', countdown });
      const first = await site.watch(['apply', '--yes'], AFTER_A_FAULT);
      site.lab.core.faults.clear(fault);
      expect(first.report.violations).toEqual([]);
      expect([0, 1]).toContain(first.result.exit);
      await helpByHand(site, fault);
      const second = await site.watch(['apply', '--yes'], AFTER_A_FAULT);
      ended(second.result);
      expect(second.report.violations).toEqual([]);
      await holdsNow(bench, before);
    },
    toString: () => `${edit.name} with ${fault}@${countdown}`,
  };
}

export const BLOW_STEPS: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(...NODES).map(({ name }) => order(`restart ${name}`, ['restart', name, '--yes'])),
  fc.constantFrom(...NODES).map(({ name }) => order(`replace ${name}`, ['replace', name, '--yes'])),
  fc.constantFrom(...NODES).map(powerOff),
  fc.constantFrom(...NODES).map(loseVm),
  fc.constantFrom(...NODES).map(loseSystemDisk),
  fc.constant(destroyAndApply),
  fc
    .tuple(EDITS, fc.constantFrom(...BLOWS), fc.nat(20))
    .map(([edit, fault, countdown]) => editUnderFault(edit, fault, countdown)),
);
