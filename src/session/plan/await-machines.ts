/** Machines that boot or reboot while a plan is made cannot be compared with oxherd.yaml: `apply` waits for them first. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { TalosAccess } from '../../clients/talos/access.js';
import type { Design } from '../../design/design.js';
import type { Clock } from '../../model/clock.js';
import { observeMachines } from '../../observe/observe-machines.js';
import type { Observed } from '../../observe/observed.js';
import type { ObservedMachine } from '../../observe/observed-machines.js';

/** Longer than a boot takes. One that does not come then is the plan's business: it says what to look at. */
const ON_THE_WAY_MS = 5 * 60_000;
const POLL_MS = 2_000;

interface MachineWait {
  readonly talos: TalosAccess;
  readonly client: ProxmoxClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (message: string) => void;
}

/** `true`: someone was waited for, and what was seen is to be looked at again. */
export async function awaitMachines(
  design: Design,
  observed: Observed,
  { talos, client, clock, signal, progress }: MachineWait,
): Promise<boolean> {
  let left = Object.values(observed.machines).filter((machine) => machine.onItsWay !== undefined);
  if (left.length === 0) return false;
  const deadline = clock.elapsed() + ON_THE_WAY_MS;
  const said = new Map<string, string>();
  while (left.length > 0 && clock.elapsed() < deadline) {
    for (const { node, onItsWay = '' } of left) {
      if (said.get(node) !== onItsWay) progress(`waiting for ${node}: ${onItsWay}`);
      said.set(node, onItsWay);
    }
    await clock.sleep(POLL_MS, signal);
    const names = new Set(left.map((machine) => machine.node));
    const before = new Map(left.map((machine) => [machine.node, machine]));
    const nodes = design.nodes.filter((node) => names.has(node.name));
    const seen = await observeMachines(talos, client, { nodes }, observed);
    left = Object.values(seen).filter((machine) => isOnItsWay(machine, before.get(machine.node)));
  }
  return true;
}

/** One that was shutting down and is gone has arrived: no one boots it. */
function isOnItsWay({ presence, onItsWay }: ObservedMachine, before: ObservedMachine | undefined): boolean {
  if (onItsWay === undefined) return false;
  const stage = before?.details.known ? before.details.value.stage : '';
  return !(presence === 'absent' && stage === 'shutting down');
}
