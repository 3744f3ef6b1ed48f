/** The shape of the generated API description (`gen/schema.ts`): names, types, limits, formats and permissions. */

export interface MethodSchema {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/nodes/{node}/qemu/{vmid}` */
  readonly path: string;
  /** `false`: only a ticket will do, a token is refused. */
  readonly token: boolean;
  /** The request is carried out on the node that its `node` parameter names. */
  readonly onNode: boolean;
  /** Absent: root@pam alone. */
  readonly permissions?: MethodPermissions;
  readonly parameters: ObjectSchema;
}

export interface MethodPermissions {
  /** `world`: no login needed; `all`: any login, the handler checks the rest. */
  readonly user?: 'world' | 'all';
  readonly check?: PermissionCheck;
}

/** As Proxmox writes them: `['perm', '/vms/{vmid}', ['VM.Audit']]`, `['and', …]`, `['userid-param', 'self']`. */
export type PermissionCheck = readonly [string, ...unknown[]];

export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly additionalProperties?: boolean;
  readonly allOf?: readonly (ObjectSchema | VariantSchema)[];
}

/** One of several objects, told apart by a property's value. */
export interface VariantSchema {
  readonly typeProperty: string;
  readonly typeSchema: PropertySchema;
  readonly optional?: boolean;
  readonly variants: Readonly<Record<string, ObjectSchema>>;
}

export interface PropertySchema {
  readonly type?: string;
  readonly optional?: boolean;
  /** A named format; `#n` names one that has no name of its own in Proxmox. */
  readonly format?: string;
  /** In JavaScript's syntax. */
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly requires?: string;
  readonly default?: string | number;
  readonly items?: PropertySchema;
  /** In property strings: another name of a key. */
  readonly alias?: string;
  /** In property strings: the key that takes this key's own name as its value (`virtio=MAC` is `model=virtio`). */
  readonly keyAlias?: string;
  readonly defaultKey?: boolean;
}

export type FormatSchema = Readonly<Record<string, PropertySchema>>;
