/**
 * What stays on a machine until its next boot although its config no longer says it, as seen on a real 1.14.1 machine:
 * - the MTU of a link: `syncLink` in controllers/network/link_spec.go sets one that is not 0 and never takes it back;
 * - a sysfs value with choices: the controller writes `[always] madvise never` back, which the kernel refuses;
 * - variables of machined's environment;
 * - every address for which certificates were issued (`NodeAddresses/accumulative`).
 */
import { at, readDocuments, stringMap } from '../config/config-document.js';
import type { Nic } from '../hypervisors/hypervisor.js';
import { nicOf } from '../network/addresses.js';
import type { Machine } from './machine.js';

export interface BootState {
  /** By NIC: another device is another link. */
  readonly mtus: Readonly<Record<string, number>>;
  readonly sysfs: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly addresses: readonly string[];
}

const NOTHING: BootState = { mtus: {}, sysfs: {}, environment: {}, addresses: [] };

export function bootState({ record }: Machine): BootState {
  return record.kept ?? NOTHING;
}

/** After every config that a machine gets, and at every address it gets. */
export function rememberBootState(machine: Machine): void {
  const { facts, hardware } = machine;
  const before = bootState(machine);
  const mtus = (facts?.links ?? []).flatMap((link): [string, number][] => {
    const nic = hardware.nics[nicOf(hardware, link)];
    return nic && link.mtu !== undefined ? [[nicKey(nic), link.mtu]] : [];
  });
  const { sysfs, environment } = settingsOf(machine.config ?? '');
  const kept: BootState = {
    mtus: { ...before.mtus, ...Object.fromEntries(mtus) },
    sysfs: { ...before.sysfs, ...sysfs },
    environment: { ...before.environment, ...environment },
    addresses: [...new Set([...before.addresses, ...machine.addresses.map(({ ip }) => ip)])],
  };
  if (JSON.stringify(kept) !== JSON.stringify(before)) machine.update({ kept });
}

/** A device that is plugged in again, with another MTU for one, is a new link. */
export function nicKey({ mac, mtu }: Nic): string {
  return `${mac} ${mtu ?? ''}`;
}

function settingsOf(config: string): Pick<BootState, 'sysfs' | 'environment'> {
  const documents = readDocuments(config);
  const main = documents.find(({ kind }) => kind === 'v1alpha1')?.body;
  const variables = documents.filter(({ kind }) => kind === 'EnvironmentConfig');
  return {
    sysfs: {
      ...stringMap(at(main, 'machine', 'sysfs')),
      ...stringMap(documents.find(({ kind }) => kind === 'SysfsConfig')?.body.params),
    },
    environment: {
      ...stringMap(at(main, 'machine', 'env')),
      ...Object.assign({}, ...variables.map(({ body }) => stringMap(body.variables))),
    },
  };
}
