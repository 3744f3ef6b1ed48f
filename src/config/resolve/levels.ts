/** Defaults, then the role, then the node: what holds for one machine, and where it was said. */
import type { DiskOptions, VmOptions } from '../config.js';
import type { Role } from '../config-values.js';
import type { ConfigFile } from '../schema/file.js';
import type { MachineLevel } from '../schema/machine.js';
import type { NodeEntry } from '../schema/nodes.js';
import type { Path } from '../yaml/position.js';

export interface Level {
  readonly path: Path;
  readonly values: Partial<MachineLevel>;
}

/** From the most special to the most general. */
export function levelsOf(file: ConfigFile, role: Role, path: Path, entry: NodeEntry): readonly Level[] {
  const { network, defaults } = file;
  const nic: Partial<MachineLevel> = pickDefined(network, ['bridge', 'vlan', 'mtu', 'queues', 'firewall']);
  return [
    { path, values: entry },
    { path: ['defaults', role], values: defaults?.[role] ?? {} },
    { path: ['defaults', 'all'], values: defaults?.all ?? {} },
    { path: ['network'], values: nic },
  ];
}

export function lookUp<K extends keyof MachineLevel>(
  levels: readonly Level[],
  key: K,
): MachineLevel[K] | undefined {
  for (const { values } of levels) {
    if (values[key] !== undefined) return values[key];
  }
  return undefined;
}

/** Where the value that holds was said; the node itself where no one did. */
export function pathOf(levels: readonly Level[], ...keys: [keyof MachineLevel, ...string[]]): Path {
  const [key, inner] = keys;
  for (const { path, values } of levels) {
    const value = values[key];
    if (value === undefined) continue;
    if (inner === undefined || (typeof value === 'object' && Object.hasOwn(value, inner)))
      return [...path, ...keys];
  }
  return levels[0]?.path ?? [];
}

export function mergeStartup(
  levels: readonly Level[],
  base: VmOptions['startup'],
): NonNullable<VmOptions['startup']> {
  return merge(levels, 'startup', base ?? {});
}

export function mergeDiskOptions(levels: readonly Level[], base: DiskOptions): DiskOptions {
  type Said = Omit<DiskOptions, 'cache' | 'aio'> & {
    readonly cache: DiskOptions['cache'] | 'default';
    readonly aio: DiskOptions['aio'] | 'default';
  };
  const { cache, aio, ...rest } = merge<Said>(levels, 'diskOptions', base);
  return {
    ...rest,
    cache: orLeft(cache),
    aio: orLeft(aio),
  };
}

/** `default` is left to Proxmox. */
export function orLeft<T extends string>(said: T | undefined): Exclude<T, 'default'> | undefined {
  return said === 'default' ? undefined : (said as Exclude<T, 'default'> | undefined);
}

export function mergeLabels(levels: readonly Level[]): Readonly<Record<string, string>> {
  return merge(levels, 'labels', {});
}

function merge<T extends object>(
  levels: readonly Level[],
  key: 'startup' | 'diskOptions' | 'labels',
  base: T,
): T {
  const entries = levels.toReversed().flatMap(({ values }) => Object.entries(values[key] ?? {}));
  return { ...base, ...Object.fromEntries(entries) };
}

export function pickDefined<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]),
  ) as Pick<T, K>;
}
