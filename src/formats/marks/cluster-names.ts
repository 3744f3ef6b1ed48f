/**
 * Names of a cluster's own objects in Proxmox. Name and env are DNS labels, so `_` between them and `.` behind them
 * can be read in one way alone: no two clusters share a name, and no name is made of another by adding to it.
 *
 * Version 0.1.0 put `-` between them, which labels contain too: `home-dev` without env and `home` with env `dev` had
 * the same names. Those are the legacy names. They say whose an object may be, never whose it is.
 */
import type { Vmid } from '../../model/identity.js';
import { hashParts } from '../text/hash.js';
import { DATA_TAG } from './data-tag.js';
import type { ClusterIdentity } from './identities.js';

const SEPARATOR = '_';
/** Proxmox takes user ids of at most 64 characters, realm included. */
const USER_ID_MAX = 64;
/** The driver's token; it is unambiguous through its user. */
export const CSI_TOKEN = 'csi';

/** One of the three things that make a VM ours; the others are its id and the identity on it. Also the pool's name. */
export function clusterTag({ name, env }: ClusterIdentity): string {
  const tag = env === '' ? `oxherd_${name}` : `oxherd_${name}${SEPARATOR}${env}`;
  // A cluster called `data`: its empty env is written out, since data VMs of all clusters have the tag without.
  return tag === DATA_TAG ? `${tag}${SEPARATOR}` : tag;
}

export function legacyTag({ name, env }: ClusterIdentity): string {
  return env === '' ? `oxherd-${name}` : `oxherd-${name}-${env}`;
}

/** Whether a tag names a cluster of oxherd, this one or another. */
export function isClusterTag(tag: string): boolean {
  return tag !== DATA_TAG && /^oxherd[_-]/.test(tag);
}

/** The pool that serves as the lock; names of further pools of the lock begin with it and `_`. */
export function lockPoolName(cluster: ClusterIdentity): string {
  return `${clusterTag(cluster)}.lock`;
}

export function legacyLockPoolName(cluster: ClusterIdentity): string {
  return `${legacyTag(cluster)}-lock`;
}

/** A rule for HA; Proxmox takes no `.` in its name, and no label has `__` in it. */
export function haRuleName(cluster: ClusterIdentity, what: string): string {
  return `${clusterTag(cluster)}__${what}`;
}

export function isHaRuleOf(cluster: ClusterIdentity, rule: string): boolean {
  return rule.startsWith(`${clusterTag(cluster)}__`);
}

/** What the CSI driver is given in Proxmox. */
interface CsiAccessNames {
  readonly role: string;
  readonly deleteRole: string;
  readonly user: string;
}

export function csiAccessNames(cluster: ClusterIdentity): CsiAccessNames {
  const tag = clusterTag(cluster);
  const user = `${tag}.csi@pve`;
  return {
    role: `${tag}.csi`,
    deleteRole: `${tag}.csi-delete`,
    user:
      user.length <= USER_ID_MAX
        ? user
        : `oxherd.${hashParts(['user', cluster.name, cluster.env]).slice(0, 32)}.csi@pve`,
  };
}

export function legacyCsiAccessNames({ env }: ClusterIdentity): CsiAccessNames {
  const prefix = env === '' ? '' : `${env}-`;
  return {
    role: `${prefix}CSI`,
    deleteRole: `${prefix}CSI-Delete`,
    user: `${prefix}kubernetes-csi@pve`,
  };
}

/**
 * The driver finds a volume by a part of its name, so no name may be part of another. The hash stands in front of the
 * name, where `pv-data` and `pv-data-old` would begin alike; `_` is in no name of version 0.1.0 nor of the driver.
 */
export function csiVolumeName(cluster: ClusterIdentity, vmid: Vmid, name: string): string {
  const hash = hashParts(['csi', cluster.name, cluster.env, name]).slice(0, 10);
  return `vm-${vmid}-_${hash}-${name}`;
}

export function legacyCsiVolumeName({ env }: ClusterIdentity, vmid: Vmid, name: string): string {
  return `vm-${vmid}-${env === '' ? '' : `${env}-`}${name}`;
}
