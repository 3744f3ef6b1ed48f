import { RESOURCES } from '../../clients/talos/resources.js';
import { machineConfigHash } from '../../design/machine-config/meaning.js';
import type { StepContext } from './context.js';
import { adminOf } from './machine-wait.js';

/** Hashes of the configs of a machine. */
export interface MachineConfigs {
  /** What it runs with. One that is staged is not there yet. */
  readonly active: string;
  /** What it boots with. One that is only tried is never there. */
  readonly persistent: string;
}

export async function machineConfigsOf(context: StepContext, ip: string): Promise<MachineConfigs> {
  const talos = adminOf(context, ip);
  const hashOf = async (id: string) => {
    const text = (await talos.get(RESOURCES.machineConfig, id))?.spec;
    return typeof text === 'string' ? machineConfigHash(text) : undefined;
  };
  const active = (await hashOf('v1alpha1')) ?? '';
  return { active, persistent: (await hashOf('persistent')) ?? active };
}
