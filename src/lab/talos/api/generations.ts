import { Code } from '@connectrpc/connect';
import { parseVersion } from '../../../model/version.js';
import type { Machine } from '../machine/machine.js';
import { fail } from './caller.js';

/** Services that came with 1.13. */
const NEW_SERVICES = ['machine.LifecycleService', 'machine.ImageService'];
/** What the maintenance server of 1.12 and before has for everybody. */
const OLD_MAINTENANCE =
  /^\/(machine\.MachineService\/ApplyConfiguration|cosi\.resource\.State\/|storage\.StorageService\/)/;
/** What it has for administrators over SideroLink alone, Version among them. */
const OLD_PRIVILEGED = ['Version', 'Upgrade', 'Reset', 'MetaWrite', 'MetaDelete'];

/** Refuses what the running Talos version does not have. */
export function checkGeneration(machine: Machine, service: string, method: string): void {
  const version = parseVersion(machine.record.system?.version ?? '');
  if (!version || version.major > 1 || version.minor >= 13) return;
  if (NEW_SERVICES.includes(service)) fail(Code.Unimplemented, `unknown service ${service}`);
  if (machine.configured || OLD_MAINTENANCE.test(`/${service}/${method}`)) return;
  if (service === 'machine.MachineService' && OLD_PRIVILEGED.includes(method)) {
    fail(Code.PermissionDenied, 'not authorized');
  }
  fail(Code.Unimplemented, `method ${method} not implemented`);
}
