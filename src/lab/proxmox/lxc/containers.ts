/** Finding and writing containers, and what their configs are made of (pve-container, PVE/LXC/Config.pm). */
import { printPropertyString } from '../../../formats/proxmox/property-string.js';
import { type Call, type Pve, PveError } from '../api.js';
import type { ContainerRecord } from '../db.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { FormatError, readPropertyFields } from '../validation/property-fields.js';
import { CONTAINER_FORMATS } from './formats.js';

export function requireContainer(call: Call): ContainerRecord {
  return loadContainer(call.pve, nodeOf(call), vmidOf(call));
}

export function loadContainer({ db }: Pick<Pve, 'db'>, host: string, vmid: number): ContainerRecord {
  const container = db.containers.get(String(vmid));
  if (container?.host === host) return structuredClone(container);
  throw new PveError(500, `Configuration file 'nodes/${host}/lxc/${vmid}.conf' does not exist`);
}

export function saveContainer({ db }: Pick<Pve, 'db'>, container: ContainerRecord): void {
  db.containers.put(String(container.vmid), container);
}

export function assertUnlocked({ config }: ContainerRecord): void {
  if (config.lock) throw new PveError(500, `CT is locked (${config.lock})`);
}

export const isMount = (key: string) => key === 'rootfs' || /^mp\d+$/.test(key);
export const isVolumeId = (text: string) => /^[a-z][a-z0-9\-_.]*:/i.test(text);

/** Of a mount point, a network device or a device, by the key of the config. */
export function fieldsOf(key: string, line: string): Record<string, string> {
  const kind = key.replace(/\d+$/, '');
  try {
    const fields = readPropertyFields(CONTAINER_FORMATS[kind] ?? {}, line);
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  } catch (error) {
    if (error instanceof FormatError)
      throw PveError.parameter({ [key]: `invalid format - ${error.message}` });
    throw error;
  }
}

export function mountLine(fields: Readonly<Record<string, string>>): string {
  return printPropertyString(fields, 'volume');
}

const GIBIBYTE = 1024 ** 3;

export function sizeText(bytes: number): string {
  for (const [unit, power] of [
    ['T', 1024 ** 4],
    ['G', GIBIBYTE],
    ['M', 1024 ** 2],
    ['K', 1024],
  ] as const) {
    if (bytes >= power && bytes % power === 0) return `${bytes / power}${unit}`;
  }
  return String(bytes);
}

const NUMBERS = new Set(
  'cores cpuunits memory swap tty onboot template console protection unprivileged debug'.split(' '),
);

/** As it is read back: numbers are numbers; a description ends its last line. */
export function shownConfig(config: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, NUMBERS.has(key) ? Number(value) : value]),
  );
}

/** Options that a running container takes only at its next start. */
const NEXT_START = /^(arch|cmode|console|tty|debug|features|env|entrypoint|ostype|dev\d+)$/;
export const waitsForStart = (key: string) => NEXT_START.test(key);

/** What waited is in force. */
export function applyPending(container: ContainerRecord): ContainerRecord {
  const { pending = {}, pendingDelete = [], ...rest } = container;
  const config = { ...rest.config, ...pending };
  for (const key of pendingDelete) delete config[key];
  return { ...rest, config };
}
