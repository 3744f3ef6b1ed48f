/**
 * How much of a VM is written out. The layouts come from two worlds, a Terraform module (`data-vm`) whose
 * provider sends every default, and a template (`single`) made by hand: each is written as it is there, so
 * that a plain diff of `qm config` between an old VM and ours shows only what is meant. Proxmox sees no
 * difference (`sameVmOption`).
 */
import type { Layout } from '../config/config-values.js';

interface VmForm {
  readonly agent: (enabled: boolean) => string | undefined;
  /** Value of a boolean option, or `undefined` to leave it out. */
  readonly flag: (value: boolean) => 0 | 1 | undefined;
  /** Options of which we have no opinion but the default. */
  readonly constants: Readonly<Record<string, string | number>>;
  /** Whether tags and notes say what the VM is for. */
  readonly labelled: boolean;
}

const WRITTEN_OUT: VmForm = {
  agent: (enabled) => `enabled=${enabled ? 1 : 0},fstrim_cloned_disks=0,type=virtio`,
  flag: (value) => (value ? 1 : 0),
  constants: { acpi: 1, keyboard: 'en-us', tablet: 1 },
  labelled: true,
};

const TERSE: VmForm = {
  agent: (enabled) => (enabled ? '1' : undefined),
  flag: (value) => (value ? 1 : undefined),
  constants: {},
  labelled: false,
};

export function formOf(layout: Layout): VmForm {
  return layout === 'data-vm' ? WRITTEN_OUT : TERSE;
}
