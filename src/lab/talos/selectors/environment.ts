/** The CEL environments of Talos' selectors: what variables there are, and the type of every field. */

type CelTypeName = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'dyn';
export type FieldType = CelTypeName | { readonly list: CelTypeName } | { readonly object: string };

export interface Environment {
  readonly name: 'disk' | 'volume' | 'link';
  readonly objects: Readonly<Record<string, Readonly<Record<string, FieldType>>>>;
  readonly variables: Readonly<Record<string, FieldType>>;
  readonly functions: Readonly<
    Record<string, { readonly args: readonly FieldType[]; readonly result: FieldType }>
  >;
}

const DISK_FIELDS: Record<string, FieldType> = {
  dev_path: 'string',
  size: 'uint',
  io_size: 'uint',
  sector_size: 'uint',
  readonly: 'bool',
  cdrom: 'bool',
  model: 'string',
  serial: 'string',
  modalias: 'string',
  wwid: 'string',
  uuid: 'string',
  bus_path: 'string',
  sub_system: 'string',
  transport: 'string',
  rotational: 'bool',
  pretty_size: 'string',
  secondary_disks: { list: 'string' },
  symlinks: { list: 'string' },
  firmware_version: 'string',
};

const VOLUME_FIELDS: Record<string, FieldType> = {
  dev_path: 'string',
  device_path: 'string',
  parent: 'string',
  parent_dev_path: 'string',
  type: 'string',
  name: 'string',
  label: 'string',
  uuid: 'string',
  size: 'uint',
  pretty_size: 'string',
  probed_size: 'uint',
  offset: 'uint',
  sector_size: 'uint',
  io_size: 'uint',
  block_size: 'uint',
  filesystem_block_size: 'uint',
  partition_uuid: 'string',
  partition_type: 'string',
  partition_label: 'string',
  partition_index: 'uint',
};

/** Enumerations of the link status are integers in CEL. */
const LINK_FIELDS: Record<string, FieldType> = {
  index: 'uint',
  type: 'int',
  link_index: 'uint',
  flags: 'uint',
  hardware_addr: 'bytes',
  permanent_addr: 'bytes',
  broadcast_addr: 'bytes',
  mtu: 'uint',
  queue_disc: 'string',
  master_index: 'uint',
  operational_state: 'int',
  kind: 'string',
  slave_kind: 'string',
  bus_path: 'string',
  pciid: 'string',
  driver: 'string',
  driver_version: 'string',
  firmware_version: 'string',
  product_id: 'string',
  vendor_id: 'string',
  product: 'string',
  vendor: 'string',
  link_state: 'bool',
  speed_megabits: 'int',
  port: 'int',
  duplex: 'int',
  alias: 'string',
  alt_names: { list: 'string' },
  vlan: 'dyn',
  bridge_master: 'dyn',
  bond_master: 'dyn',
  wireguard: 'dyn',
  vrf_master: 'dyn',
  veth: 'dyn',
};

/** `KiB` and `kB` are constants of type uint: `10 * GiB` mixes int and uint and is refused. */
export const UNITS: Readonly<Record<string, bigint>> = {
  KiB: 1024n,
  MiB: 1024n ** 2n,
  GiB: 1024n ** 3n,
  TiB: 1024n ** 4n,
  PiB: 1024n ** 5n,
  EiB: 1024n ** 6n,
  kB: 1000n,
  MB: 1000n ** 2n,
  GB: 1000n ** 3n,
  TB: 1000n ** 4n,
  PB: 1000n ** 5n,
  EB: 1000n ** 6n,
};

const UNIT_VARIABLES = Object.fromEntries(Object.keys(UNITS).map((unit) => [unit, 'uint' as const]));
const GLOB = { args: ['string', 'string'], result: 'bool' } as const;

export const DISK_ENVIRONMENT: Environment = {
  name: 'disk',
  objects: { disk: DISK_FIELDS },
  variables: { disk: { object: 'disk' }, system_disk: 'bool', ...UNIT_VARIABLES },
  functions: { glob: GLOB },
};

/** For existing volumes: no `system_disk`, no `glob`. */
export const VOLUME_ENVIRONMENT: Environment = {
  name: 'volume',
  objects: { disk: DISK_FIELDS, volume: VOLUME_FIELDS },
  variables: { disk: { object: 'disk' }, volume: { object: 'volume' }, ...UNIT_VARIABLES },
  functions: {},
};

export const LINK_ENVIRONMENT: Environment = {
  name: 'link',
  objects: { link: LINK_FIELDS },
  variables: { link: { object: 'link' } },
  functions: { glob: GLOB, mac: { args: ['bytes'], result: 'string' } },
};
