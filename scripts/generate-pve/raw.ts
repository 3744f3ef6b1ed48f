/** The API description as Proxmox VE dumps it. */
export interface ApiMethod {
  method: string;
  path: string;
  parameters: RawObject;
  returns?: RawProperty;
  permissions?: { user?: string; check?: unknown };
  allowtoken?: number;
  proxyto?: string;
}

export interface RawObject {
  properties?: Record<string, RawProperty>;
  additionalProperties?: number | RawProperty;
  allOf?: RawObject[];
  oneOf?: (RawObject & { 'instance-type': string })[];
  'type-property'?: string;
  'type-property-schema'?: RawProperty;
  optional?: number;
}

export interface RawProperty {
  type?: string | string[];
  optional?: number | string;
  format?: string | RawFormat;
  pattern?: string;
  minimum?: number | string;
  maximum?: number | string;
  minLength?: number;
  maxLength?: number;
  enum?: (string | number)[] | null;
  requires?: string;
  default?: string | number;
  items?: RawProperty;
  alias?: string;
  keyAlias?: string;
  default_key?: number;
  properties?: Record<string, RawProperty>;
  additionalProperties?: number | RawProperty;
}

export type RawFormat = Record<string, RawProperty>;
