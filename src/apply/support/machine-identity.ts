/** Which machine answers: an address is not an identity, and what is sent to the wrong one cannot be taken back. */
import type { TalosClient } from '../../clients/talos/client.js';
import { attempt } from '../../observe/attempt.js';
import { readUuid } from '../../observe/observe-machines.js';
import { StepError } from './read-vm.js';

export async function checkIdentity(
  talos: Pick<TalosClient, 'get'>,
  { node, uuid, ip }: { readonly node?: string; readonly uuid?: string; readonly ip: string },
): Promise<void> {
  if (uuid === undefined) return;
  const seen = await attempt(() => readUuid(talos));
  // One that does not tell is judged by the steps that talk to it next.
  if (!seen.known || seen.value === '' || seen.value === uuid) return;
  throw new StepError(
    'apply.other-machine',
    `another machine than that of ${node} answers at ${ip}: its SMBIOS uuid is ${seen.value}, not ${uuid}`,
    { advice: `nothing was sent to it; find out which VM has that uuid, then run apply again` },
  );
}
