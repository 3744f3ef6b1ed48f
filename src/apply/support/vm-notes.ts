/** What is noted in the descriptions of VMs of this cluster. */
import { changeNotes, type EtcdNote, parseDataNotes } from '../../formats/marks/data-notes.js';
import { ALREADY, DONE, type StepContext, type StepOutcome } from './context.js';
import { checkOurs, requireVm } from './read-vm.js';

/** Writes it with the digest that was read; safe to repeat. */
export async function changeDescription(
  context: StepContext,
  { vmid, host }: { readonly vmid: number; readonly host: string },
  change: (description: string) => string,
  kind?: 'talos' | 'data',
): Promise<StepOutcome> {
  const state = await requireVm(context, host, vmid);
  checkOurs(context, vmid, state, kind);
  const before = state.values.description ?? '';
  const description = change(before);
  if (description === before) return ALREADY;
  await context.client.updateVm(host, vmid, { set: { description }, digest: state.digest });
  return DONE;
}

/** On the data VM: what its EPHEMERAL disk is to etcd from now on. */
export async function noteEtcd(
  context: StepContext,
  vm: { readonly vmid: number; readonly host: string },
  etcd: EtcdNote,
): Promise<void> {
  await changeDescription(
    context,
    vm,
    (description) => changeNotes(description, (notes) => ({ ...notes, etcd })),
    'data',
  );
}

export async function notedOn(
  context: StepContext,
  { vmid, host }: { readonly vmid: number; readonly host: string },
): Promise<EtcdNote['state'] | undefined> {
  const state = await requireVm(context, host, vmid);
  return parseDataNotes(state.values.description ?? '').etcd?.state;
}
