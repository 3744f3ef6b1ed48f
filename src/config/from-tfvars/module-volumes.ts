/** `volumes` of the Terraform module. */
import { parseSize } from '../../model/size.js';
import type { Given, Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';
import { show } from '../schema/values.js';

type VolumeType = 'directory' | 'disk' | 'partition' | 'proxmox-csi';

/** `proxmox-volume` is how one table of the module's documentation calls it. */
const TYPES = ['directory', 'disk', 'partition', 'proxmox-csi', 'proxmox-volume'] as const;

/** What the module's table "Usage of variables per volume type" marks as not used. */
const UNUSED: Readonly<Record<VolumeType, readonly string[]>> = {
  directory: ['datastore', 'format', 'node', 'vmid', 'place'],
  disk: ['format', 'node', 'vmid', 'place'],
  partition: ['format', 'node', 'vmid'],
  'proxmox-csi': ['machine_type', 'place'],
};

export function translateVolumes(root: Section, to: Translation): void {
  to.place(['volumes'], ['volumes']);
  for (const { name, section } of root.entries('volumes')) translateVolume(name, section, to);
}

function translateVolume(name: string, volume: Section, to: Translation): void {
  const here = (key: string) => ['volumes', name, key];
  to.place(['volumes', name], volume.path);
  const given = volume.oneOf('type', TYPES);
  // What it needs depends on its type.
  if (!given && volume.has('type')) return;
  const type: VolumeType =
    given === undefined || given.value === 'proxmox-volume' ? 'proxmox-csi' : given.value;
  to.put(here('type'), type, given?.path ?? volume.path);

  const size = volume.required(volume.text('size'), 'size', '"10G"');
  const on = volume.oneOf('machine_type', ['all', 'controlplane', 'worker']);
  const datastore = volume.text('datastore');
  const format = volume.oneOf('format', ['raw', 'qcow', 'qcow2']);
  const host = volume.text('node');
  const vmid = volume.integer('vmid');
  // Not of the module, which has no partitions yet: where one is.
  const place = volume.oneOf('place', ['disk', 'ephemeral']);
  volume.refuseUnknown();
  sayUnused(type, volume);

  // A directory has no size of its own; the module asks for one and does nothing with it.
  if (type !== 'directory') moveSize(here('size'), size, volume, to);
  if (type === 'proxmox-csi') {
    to.move(here('host'), volume.required(host, 'node', '"pve1"'));
    to.move(here('format'), format, (value) => (value === 'qcow' ? 'qcow2' : value));
    to.move(here('vmid'), vmid);
  } else to.move(here('on'), on);
  if (type !== 'directory') to.move(here('storage'), datastore);
  if (type === 'partition') to.move(here('place'), place);
}

function moveSize(
  here: readonly string[],
  size: Given<string> | undefined,
  volume: Section,
  to: Translation,
): void {
  if (!size) return;
  // Kubernetes writes `1Gi`, and so does the module's documentation.
  const text = size.value.trim().replace(/^(\d+(?:\.\d+)?\s*[KMGT]i)$/, '$1B');
  if (parseSize(text) === undefined) {
    volume.refuse(
      size.path,
      'config.value',
      `${show(size.value)} is not a size with a unit`,
      /^\d+$/.test(text) ? `write \`"${text}G"\`` : 'write it like `"10G"`',
    );
    return;
  }
  to.put(here, text, size.path);
}

function sayUnused(type: VolumeType, volume: Section): void {
  for (const key of UNUSED[type]) {
    if (!volume.has(key)) continue;
    volume.warn([...volume.path, key], 'tfvars.unused', `a \`${type}\` volume does not use it`, 'remove it');
  }
}
