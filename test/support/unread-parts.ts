/** Each part of an observation in turn as if it had not been read. */
import type { Observed } from '../../src/observe/observed.js';
import { visibleVms, withVms } from '../../src/observe/observed-vms.js';

interface Unread {
  /** `access.users`, `kubernetes.objects.v1 Namespace csi-proxmox` */
  readonly part: string;
  readonly observed: Observed;
}

const WHY = 'the test took it away';

/** One observation for each value or list that was read, and for the state of each VM, with only that one unread. */
export function unreadOneByOne(observed: Observed): Unread[] {
  return [...unreadValues(observed), ...unreadStates(observed)];
}

/** As if the host's list of VMs had failed, or had left the VM out. */
function unreadStates(observed: Observed): Unread[] {
  return visibleVms(observed).map((vm) => ({
    part: `the state of VM ${vm.vmid}`,
    observed: { ...observed, vms: withVms(observed.vms, [{ ...vm, status: 'unknown' }]) },
  }));
}

function unreadValues(observed: Observed): Unread[] {
  return readPaths(observed).map((path) => {
    const copy = structuredClone(observed);
    const holder = path.slice(0, -1).reduce<unknown>((here, key) => Reflect.get(Object(here), key), copy);
    const key = path.at(-1) ?? '';
    Reflect.set(Object(holder), key, unreadOf(Reflect.get(Object(holder), key)));
    return { part: path.join('.'), observed: copy };
  });
}

function readPaths(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, entry]) => readPaths(entry, [...path, key]));
  return unreadOf(value) === undefined ? below : [[...path], ...below];
}

/** The same kind of part, not read; `undefined`: it is none, or was not read before. */
function unreadOf(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('known' in value) return value.known === true ? { known: false, why: WHY } : undefined;
  if ('seen' in value && Array.isArray(value.seen))
    return 'unlisted' in value ? undefined : { seen: [], unlisted: WHY };
  if ('state' in value && (value.state === 'present' || value.state === 'absent'))
    return { state: 'unread', why: WHY };
  return undefined;
}
