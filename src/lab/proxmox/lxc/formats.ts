/** Property strings of containers (pve-container, PVE/LXC/Config.pm). */
import type { FormatSchema } from '../schema.js';

const text = { type: 'string', optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;

const VOLUME: FormatSchema = {
  volume: { type: 'string', defaultKey: true },
  size: text,
  acl: flag,
  mountoptions: text,
  quota: flag,
  replicate: flag,
  ro: flag,
  shared: flag,
  idmap: text,
};

export const CONTAINER_FORMATS: Readonly<Record<string, FormatSchema>> = {
  rootfs: VOLUME,
  mp: { ...VOLUME, mp: { type: 'string' }, backup: flag, keepattrs: flag },
  net: {
    name: { type: 'string' },
    bridge: text,
    firewall: flag,
    gw: text,
    gw6: text,
    'host-managed': flag,
    hwaddr: text,
    ip: text,
    ip6: text,
    link_down: flag,
    mtu: { type: 'integer', optional: true },
    rate: { type: 'number', optional: true },
    tag: { type: 'integer', optional: true },
    trunks: text,
    type: { type: 'string', optional: true, enum: ['veth'] },
  },
  dev: { path: { ...text, defaultKey: true }, mode: text, uid: text, gid: text, 'deny-write': flag },
};
