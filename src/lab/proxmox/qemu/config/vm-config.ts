/** A VM's config as a file: what a written value reads back as, its text and its digest. */
import { createHash } from 'node:crypto';
import { parseDrive } from '../../../../formats/proxmox/property-string.js';
import type { SnapshotRecord, VmRecord } from '../../db.js';
import { isDriveKey, isUnusedKey, typedValue } from './config-keys.js';
import { asStored } from './option-schema.js';

export type Config = Record<string, string>;

/**
 * What is read back of a value: blanks around it are lost, nothing at all reads as one blank
 * (recording tags-and-options); a description loses what trails it, an empty one is gone.
 */
function readsAs(key: string, value: string): string | undefined {
  if (key === 'description') return value.replace(/\s+$/, '') || undefined;
  // A blank is no URL-encoded text, so such a line is passed over.
  if (key === 'sshkeys' && value.trim() === '') return undefined;
  return asStored(key, value.trim()) || ' ';
}

function asRead(config: Config): Config {
  const read: Config = {};
  for (const key of Object.keys(config).sort()) {
    const value = readsAs(key, config[key] ?? '');
    if (value !== undefined) read[key] = value;
  }
  return read;
}

/** The record as it is after a write: volumes that are attached again are no longer unused. */
export function asWritten(vm: VmRecord): VmRecord {
  const attached = new Set<string>();
  for (const config of [vm.config, vm.pending.set]) {
    for (const [key, value] of Object.entries(config)) {
      if (isDriveKey(key)) attached.add(parseDrive(value).file);
    }
  }
  const config: Config = {};
  for (const [key, value] of Object.entries(asRead(vm.config))) {
    if (!(isUnusedKey(key) && attached.has(value))) config[key] = value;
  }
  return {
    ...vm,
    config,
    pending: { set: asRead(vm.pending.set), delete: [...new Set(vm.pending.delete)].sort() },
    template: config.template === '1',
  };
}

export function configText(vm: VmRecord): string {
  let text = section(vm.config);
  const { set, delete: gone } = vm.pending;
  if (Object.keys(set).length > 0 || gone.length > 0) {
    text += `\n[PENDING]\n${section(gone.length > 0 ? { ...set, delete: gone.join(',') } : set)}`;
  }
  if (vm.cloudinit) text += `\n[special:cloudinit]\n${section(vm.cloudinit)}`;
  for (const name of Object.keys(vm.snapshots).sort()) {
    const snapshot = vm.snapshots[name];
    if (snapshot) text += `\n[${name}]\n${section(snapshotOptions(snapshot))}`;
  }
  return text;
}

/** A snapshot's section: the config of then, and what is known of the snapshot itself. */
export function snapshotOptions({ config, time, description, parent }: SnapshotRecord): Config {
  return {
    ...config,
    snaptime: String(time),
    ...(description === undefined ? {} : { description }),
    ...(parent === undefined ? {} : { parent }),
  };
}

function section({ description, ...rest }: Config): string {
  const comment = (description ?? '').split('\n').map((line) => `#${encodeURIComponent(line)}\n`);
  const lines = Object.keys(rest)
    .sort()
    .map((key) => `${key}: ${rest[key]}\n`);
  return [...(description === undefined ? [] : comment), ...lines].join('');
}

export function digestOf(vm: VmRecord): string {
  return createHash('sha1').update(configText(vm)).digest('hex');
}

const HIDDEN_PASSWORD = '**********';

/** As answers show it: numbers where the schema says so, the password hidden. */
export function shown(config: Config): Record<string, string | number> {
  const result: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(config)) {
    result[key] = key === 'cipassword' ? HIDDEN_PASSWORD : typedValue(key, value);
  }
  return result;
}

/** `!key` in the list of pending deletions: the volume goes too. */
export function pendingDeletion(entry: string): { key: string; force: boolean } {
  return entry.startsWith('!') ? { key: entry.slice(1), force: true } : { key: entry, force: false };
}

export function withPending(vm: VmRecord): Config {
  const merged: Config = { ...vm.config, ...vm.pending.set };
  for (const entry of vm.pending.delete) delete merged[pendingDeletion(entry).key];
  return merged;
}

export function hasPending(vm: VmRecord): boolean {
  return vm.pending.delete.length > 0 || Object.keys(vm.pending.set).length > 0;
}

/** In MiB; `memory` is a property string with one key. */
export function memoryOf(memory: string | undefined): number {
  return Number((memory ?? '').replace(/^current=/, '') || 512);
}
