/** The simulators beside Proxmox that a whole lab has. */
import { factoryOf, factoryPart } from './factory/part.js';
import type { LabPartMaker } from './index.js';
import { talosPart } from './talos/part.js';

export interface LabPartsOptions {
  /** False: VMs run, but nothing in them does. */
  readonly machines?: boolean;
  /** Something a person should know, such as an address that cannot be bound. */
  readonly notice?: (text: string) => void;
}

export function labParts({ machines = true, notice }: LabPartsOptions = {}): LabPartMaker[] {
  const factory = factoryOf({ strict: true });
  return [factoryPart(factory), ...(machines ? [talosPart({ factory, ...(notice && { notice }) })] : [])];
}
