import { changeNotes, type EtcdNote, parseDataNotes } from '../../formats/marks/data-notes.js';
import type { StepContext } from './context.js';
import { checkOurs, requireVm } from './read-vm.js';

/** On the data VM: what its EPHEMERAL disk is to etcd from now on. */
export async function noteEtcd(
  context: StepContext,
  { vmid, host }: { readonly vmid: number; readonly host: string },
  etcd: EtcdNote,
): Promise<void> {
  const state = await requireVm(context, host, vmid);
  checkOurs(context, vmid, state, 'data');
  const before = state.values.description ?? '';
  const description = changeNotes(before, (notes) => ({ ...notes, etcd }));
  if (description === before) return;
  await context.client.updateVm(host, vmid, { set: { description }, digest: state.digest });
}

export async function notedOn(
  context: StepContext,
  { vmid, host }: { readonly vmid: number; readonly host: string },
): Promise<EtcdNote['state'] | undefined> {
  const state = await requireVm(context, host, vmid);
  return parseDataNotes(state.values.description ?? '').etcd?.state;
}
