import { describe, expect, it } from 'vitest';
import { config } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { design } from '../../design/design-cluster.js';
import { secretsNote } from '../../formats/marks/secrets-note.js';
import { known, type Observed, unknown } from '../../observe/observed.js';
import type { MachineDetails, ObservedMachine } from '../../observe/observed-machines.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { planCluster } from '../plan-cluster.js';
import { planDestroy } from '../plan-destroy.js';
import { isProved } from './proved-vm.js';

const OURS = 'aa'.repeat(16);
const WHOLE = config();
const [, NODE] = design(WHOLE).nodes;
const TALOS = NODE?.talosVm.vmid ?? 0;
const DATA = NODE?.dataVm?.vmid ?? 0;
/** A later oxherd.yaml, without the second node. */
const LATER = { ...WHOLE, nodes: WHOLE.nodes.filter(({ name }) => name !== NODE?.name) };

const DETAILS: MachineDetails = {
  uuid: 'x',
  talosVersion: 'v1.14.1',
  schematic: known(undefined),
  timeSynced: known(true),
  stage: 'running',
  ready: true,
  unmet: [],
  config: unknown('not asked'),
  services: [],
  volumes: [],
};

/** Built without fingerprints; those given are written on. */
function built(prints: Readonly<Record<number, string>>, more: Partial<Observed> = {}): Observed {
  const observed = builtProxmox(WHOLE);
  const vms = Object.entries(prints).flatMap(([vmid, print]) => {
    const vm = visibleVm(observed, Number(vmid));
    if (!vm?.config.known) return [];
    const { value } = vm.config;
    const description = `${secretsNote(print)}\n${value.values.description ?? ''}`;
    return [{ ...vm, config: known({ ...value, values: { ...value.values, description } }) }];
  });
  return { ...observed, vms: withVms(observed.vms, vms), ...more };
}

const proved = (file: typeof WHOLE, observed: Observed) =>
  [TALOS, DATA].map((vmid) => {
    const vm = visibleVm(observed, vmid);
    return vm && isProved({ design: design(file, { secrets: OURS }), observed }, vm);
  });

describe('a VM is proved to be of the cluster with these secrets', () => {
  const accepts: Observed['machines'] = {
    [NODE?.name ?? '']: { node: NODE?.name ?? '', presence: 'configured', details: known(DETAILS) },
  };

  it.each([
    ['not without a fingerprint', WHOLE, built({}), false],
    ['by the fingerprint on the Talos VM', WHOLE, built({ [TALOS]: OURS }), true],
    ['by the fingerprint on the data VM', WHOLE, built({ [DATA]: OURS }), true],
    ['by its machine', WHOLE, built({}, { machines: accepts }), true],
    ['by its machine after it left oxherd.yaml', LATER, built({}, { accepting: [TALOS] }), true],
    ['not by the machine of another VM', LATER, built({}, { accepting: [TALOS + 1] }), false],
  ])('%s', (_, file, observed, expected) => {
    expect(proved(file, observed)).toEqual([expected, expected]);
  });
});

describe('a VM that nothing proves', () => {
  const wanted = design(LATER, { secrets: OURS });

  it.each([
    ['apply', planCluster(wanted, built({}))],
    ['destroy', planDestroy(wanted, built({}), { deleteData: false })],
    ['destroy --delete-data', planDestroy(wanted, built({}), { deleteData: true })],
  ])('is not removed by %s, which names the way out', (_, plan) => {
    const removed = plan.steps.flatMap((step) =>
      step.kind === 'destroy-talos-vm' || step.kind === 'destroy-data-vm' ? [step.vmid] : [],
    );
    expect(removed.filter((vmid) => vmid === TALOS || vmid === DATA)).toEqual([]);
    const problem = plan.problems.find(({ code }) => code === 'vm-unproved');
    expect(problem?.message).toContain(`VM ${TALOS}`);
    expect(problem?.advice).toContain(secretsNote(OURS));
    expect(problem?.advice).not.toContain('qm destroy');
  });

  it('is removed once its data VM carries the fingerprint', () => {
    const { steps, problems } = planCluster(wanted, built({ [DATA]: OURS }));
    expect(problems).toEqual([]);
    expect(steps).toContainEqual(expect.objectContaining({ kind: 'destroy-talos-vm', vmid: TALOS }));
  });
});

describe('the fingerprint', () => {
  const noted = (observed: Observed) =>
    planCluster(design(WHOLE, { secrets: OURS }), observed).steps.flatMap((step) =>
      step.kind === 'set-options' && (step.changes.description?.to ?? '').includes(secretsNote(OURS))
        ? [`${step.vmid} ${step.impact}`]
        : [],
    );
  const machine = (presence: ObservedMachine['presence'], details: ObservedMachine['details']) => ({
    machines: { [NODE?.name ?? '']: { node: NODE?.name ?? '', presence, details } },
  });

  it('is written to a running Talos VM without a restart, if its data VM has it', () => {
    expect(noted(built({ [DATA]: OURS }))).toContain(`${TALOS} live`);
  });

  it('is written to both VMs if their machine accepts the certificate', () => {
    const observed = built({}, machine('configured', known(DETAILS)));
    expect(noted(observed)).toEqual(expect.arrayContaining([`${TALOS} live`, `${DATA} none`]));
  });

  it('is written to neither if the machine runs and does not accept it', () => {
    const steps = noted(built({}, machine('configured', unknown('other secrets'))));
    expect(steps.filter((step) => step.startsWith(`${TALOS} `) || step.startsWith(`${DATA} `))).toEqual([]);
  });
});
