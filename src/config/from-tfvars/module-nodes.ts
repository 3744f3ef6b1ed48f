/** `nodes` of the Terraform module. */
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';

/** The mapping that the module's `igpu` asks Proxmox for. */
const IGPU_MAPPING = 'iGPU';

export function translateNodes(root: Section, to: Translation): void {
  to.place(['nodes'], ['nodes']);
  const nodes = root.entries('nodes');
  if (nodes.length === 0) root.required(undefined, 'nodes', '{ "controller1" = { … } }');
  for (const { name, section } of nodes) translateNode(root, name, section, to);
  if (nodes.length > 0) sayUnusedUpdate(root, nodes, to);
}

function translateNode(root: Section, name: string, node: Section, to: Translation): void {
  const here = (key: string) => ['nodes', name, key];
  to.place(['nodes', name], node.path);
  to.move(
    here('role'),
    node.required(node.oneOf('machine_type', ['controlplane', 'worker']), 'machine_type', '"controlplane"'),
  );
  to.move(here('host'), node.required(node.text('host_node'), 'host_node', '"pve1"'));
  to.move(here('ip'), node.required(node.text('ip'), 'ip', '"10.20.30.41"'));
  to.move(here('vmid'), node.required(node.integer('vm_id'), 'vm_id', '141'));
  to.move(here('cores'), node.required(node.integer('cpu'), 'cpu', '2'));
  to.move(
    here('memory'),
    node.required(node.integer('ram_dedicated', { least: 1 }), 'ram_dedicated', '4096'),
    (megabytes) => (megabytes % 1024 === 0 ? `${megabytes / 1024}GiB` : `${megabytes}MiB`),
  );
  to.move(here('bridge'), node.text('bridge'));
  to.move(here('cpuType'), node.text('cpu_type'));
  to.move(here('storage'), node.text('datastore'));
  to.move(
    here('disk'),
    node.integer(['disk_size', 'disksize'], { least: 1 }),
    (gigabytes) => `${gigabytes}GiB`,
  );
  to.move(here('dns'), node.texts('dns'), (servers) => [...servers]);
  const igpu = node.flag('igpu');
  if (igpu?.value) to.move(here('pci'), igpu, () => [IGPU_MAPPING]);
  to.move(here('mac'), node.text('mac_address'));
  const vlan = node.integer(['vlan_id', 'vlan'], { least: 0, most: 4094 });
  if (vlan?.value !== 0) to.move(here('vlan'), vlan);
  translateUpdate(root, name, node, to);
  node.refuseUnknown();
}

/** The module does nothing with a version to update to before a node asks for it; what was meant is not lost. */
function sayUnusedUpdate(
  root: Section,
  nodes: readonly { readonly section: Section }[],
  to: Translation,
): void {
  if (nodes.some(({ section }) => section.flag('update')?.value)) return;
  const image = root.section('image');
  const version = image.text('update_version');
  const schematic = image.text('update_schematic_path');
  if (version) {
    const next = `oxherd upgrade --talos ${version.value}`;
    image.warn(
      version.path,
      'tfvars.update',
      'no node has `update = true`, so it is not used',
      `run \`${next}\``,
    );
    to.remark(`image.update_version is ${version.value}, which no node uses yet: \`${next}\`.`);
  }
  if (schematic) {
    image.warn(
      schematic.path,
      'tfvars.update',
      'no node has `update = true`, so it is not used',
      `after \`oxherd convert\` write \`talos.schematic: ${schematic.value}\`, then \`oxherd apply\``,
    );
    to.remark(
      `image.update_schematic_path is ${schematic.value}, which no node uses yet: write it as talos.schematic, then \`oxherd apply\`.`,
    );
  }
}

/** A node that the module was told to update has a version or a schematic of its own. */
function translateUpdate(root: Section, name: string, node: Section, to: Translation): void {
  const update = node.flag('update');
  if (!update?.value) return;
  const image = root.section('image');
  const version = image.text('update_version');
  const schematic = image.text('update_schematic_path');
  to.move(['nodes', name, 'talosVersion'], version);
  to.move(['nodes', name, 'schematic'], schematic);
  if (version || schematic) return;
  node.warn(
    update.path,
    'tfvars.update',
    'there is nothing to update to',
    'set `image.update_version` or `image.update_schematic_path`, or remove `update`',
  );
}
