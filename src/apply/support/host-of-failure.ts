/** A machine that does not answer may be one whose host is down: then that is what a person has to know. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import { OxherdError } from '../../model/error.js';
import type { Step } from '../../plan/steps.js';

/** The error of a step, with the host of its node where Proxmox counts that one as down, or does not answer either. */
export async function withHostState(
  { node }: Pick<Step, 'node'>,
  error: OxherdError,
  client: Pick<ProxmoxClient, 'clusterStatus' | 'vms'>,
): Promise<OxherdError> {
  if (node === undefined || !isOfMachine(error)) return error;
  const found = await downHosts(node, client).catch((cause: unknown) => OxherdError.from(cause));
  if (found instanceof OxherdError)
    return new OxherdError(error.code, `${error.message}; nor does Proxmox answer: ${found.message}`, {
      advice: 'check the network and the Proxmox hosts, then run the command again',
      cause: error,
    });
  const { own, all } = found;
  if (own !== undefined)
    return new OxherdError(error.code, `host ${own} does not answer: ${error.message}`, {
      advice: `bring ${own} back, then run the command again; if it never returns: \`oxherd host lost ${own}\``,
      cause: error,
    });
  if (all.length === 0) return error;
  // It may have nothing to do with it: what the error itself advises stays.
  return new OxherdError(error.code, `${error.message}; host ${all.join(', ')} does not answer`, {
    ...(error.advice !== undefined && { advice: error.advice }),
    cause: error,
  });
}

/** What Proxmox itself answered names its host. */
function isOfMachine({ code }: OxherdError): boolean {
  return !code.startsWith('proxmox.');
}

/** Of the node, and all that Proxmox counts as down. */
async function downHosts(
  node: string,
  client: Pick<ProxmoxClient, 'clusterStatus' | 'vms'>,
): Promise<{ readonly own?: string; readonly all: readonly string[] }> {
  const { hosts } = await client.clusterStatus();
  const all = hosts.filter(({ online }) => !online).map(({ name }) => name);
  if (all.length === 0) return { all };
  const vm = (await client.vms()).find(({ name, node: host }) => name === node && all.includes(host));
  return { all, ...(vm && { own: vm.node }) };
}
