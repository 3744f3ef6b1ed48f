/** Which machine answers: an address is not an identity, and what is sent to the wrong one cannot be taken back. */
import type { TalosClient } from '../../clients/talos/client.js';
import { readUuid } from '../../observe/observe-machines.js';
import { StepError } from './read-vm.js';

export async function checkIdentity(
  talos: Pick<TalosClient, 'get'>,
  { node, uuid, ip }: { readonly node?: string; readonly uuid?: string; readonly ip: string },
): Promise<void> {
  if (uuid === undefined) return;
  const seen = await readUuid(talos);
  if (seen === uuid) return;
  throw new StepError(
    'apply.other-machine',
    seen === ''
      ? `the machine at ${ip} does not tell its SMBIOS uuid: it may be another one than that of ${node}`
      : `another machine than that of ${node} answers at ${ip}: its SMBIOS uuid is ${seen}, not ${uuid}`,
    { advice: `nothing was sent to it; find out which VM has that uuid, then run apply again` },
  );
}
