/** `nodes.yaml` of the template. */
import { schematicIdOf } from '../../formats/talos/schematic-reader.js';
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';
import type { ReadText } from '../resolve/context.js';
import { readMapping } from './template-versions.js';
import { gigabytes, megabytes } from './template-vms.js';

/** The template names no VM ids: the first node is 2001, as its reference VM is. */
const FIRST_VMID = 2001;
/** The first node starts as the fourth, after what else the host carries. */
const FIRST_ORDER = 4;
const LAST_ORDER = 100;
/** Seconds after a start, and for a shutdown. */
const UP = 15;
const DOWN = 60;

export function translateTemplateNodes(root: Section, to: Translation, readText: ReadText): void {
  to.place(['nodes'], ['nodes']);
  const host = root.text('proxmox_node');
  const nodes = root.list('nodes');
  if (nodes.length === 0) {
    if (root.has('nodes')) root.refuse(['nodes'], 'config.value', 'there is no node in it');
    else root.required(undefined, 'nodes', '[{ name: … }]');
  }
  let computed = 0;
  for (const [index, node] of nodes.entries()) {
    const name = node.required(node.text('name'), 'name', 'talos-cplane-001');
    if (!name) continue;
    const here = (...keys: string[]) => ['nodes', name.value, ...keys];
    to.place(here(), node.path);
    translatePlace(node, host, here, to);
    const vmid = node.integer(['vm_id', 'vmid']);
    if (!vmid) computed++;
    to.put(here('vmid'), vmid?.value ?? FIRST_VMID + index, vmid?.path ?? node.path);
    to.move(here('cores'), node.integer('vm_cores', { least: 1 }));
    to.move(here('sockets'), node.integer('vm_sockets', { least: 1 }));
    to.move(here('memory'), node.integer('vm_memory', { least: 1 }), megabytes);
    to.move(here('disk'), node.integer('vm_disk_size', { least: 1 }), gigabytes);
    to.move(here('mtu'), node.integer('mtu', { least: 576, most: 65_520 }));
    translateStartup(node, index, here, to);
    translateTalos(node, here, to, readText);
    node.refuseUnknown();
  }
  if (computed === 0) return;
  root.warn(
    ['nodes'],
    'template.vmid',
    `VM ids are counted from ${FIRST_VMID} in the order of the list`,
    'give each node a `vm_id`: then the order means nothing',
  );
}

function translatePlace(
  node: Section,
  shared: { readonly value: string; readonly path: readonly (string | number)[] } | undefined,
  here: (...keys: string[]) => string[],
  to: Translation,
): void {
  const controller = node.flag('controller');
  to.put(
    here('role'),
    (controller?.value ?? true) ? 'controlplane' : 'worker',
    controller?.path ?? node.path,
  );
  const host = node.text('proxmox_node', 'host') ?? shared;
  to.move(here('host'), node.required(host, 'proxmox_node', 'pve'));
  to.move(here('ip'), node.required(node.text('address'), 'address', '10.7.0.11'));
  to.move(here('mac'), node.text('mac_addr'));
}

function translateStartup(
  node: Section,
  index: number,
  here: (...keys: string[]) => string[],
  to: Translation,
): void {
  const order = node.integer('vm_startup_order', { least: 1, most: LAST_ORDER });
  const up = node.integer('vm_startup_delay', { least: 0, most: 300 });
  const down = node.integer('vm_shutdown_delay', { least: 0, most: 600 });
  to.put(
    here('startup', 'order'),
    order?.value ?? Math.min(FIRST_ORDER + index, LAST_ORDER),
    order?.path ?? node.path,
  );
  to.put(here('startup', 'up'), up?.value ?? UP, up?.path ?? node.path);
  to.put(here('startup', 'down'), down?.value ?? DOWN, down?.path ?? node.path);
}

function translateTalos(
  node: Section,
  here: (...keys: string[]) => string[],
  to: Translation,
  readText: ReadText,
): void {
  // Talos is told to install onto our disk by its WWN: a device path or a serial is not needed.
  node.text('disk');
  const id = node.text('schematic_id');
  if (id && !isKnownSchematic(id.value, readText)) {
    node.refuse(
      id.path,
      'template.schematic',
      'an id does not say what is in the schematic',
      'put the schematic itself into `schematic.yaml` beside cluster.yaml; its id is then compared with this one',
    );
  }
  for (const key of ['secureboot', 'encrypt_disk'] as const) {
    const asked = node.flag(key);
    if (!asked?.value) continue;
    node.refuse(
      asked.path,
      'template.unsupported',
      key === 'secureboot' ? 'Secure Boot is not supported on these VMs' : 'the template encrypts with a TPM',
      key === 'secureboot'
        ? 'remove it'
        : 'remove it, and after `oxherd convert` write `talos.encryption: { state: nodeID, ephemeral: nodeID }`',
    );
  }
  const modules = node.texts('kernel_modules');
  if (modules && modules.value.length > 0) {
    to.put(
      here('patches'),
      [{ machine: { kernel: { modules: modules.value.map((name) => ({ name })) } } }],
      modules.path,
    );
  }
}

/** The default schematic, or the one in `schematic.yaml`. */
const GUEST_AGENT = {
  customization: { systemExtensions: { officialExtensions: ['siderolabs/qemu-guest-agent'] } },
};

function isKnownSchematic(id: string, readText: ReadText): boolean {
  const beside = readMapping(readText, 'schematic.yaml');
  return id === schematicIdOf(beside ?? GUEST_AGENT);
}
