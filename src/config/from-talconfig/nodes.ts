/** `nodes` of talhelper and topf. */
import { isMapping } from '../../formats/text/mapping.js';
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';
import { folderPatches, PLACEHOLDERS, type TalconfigInput } from './input.js';
import { type FoundNetwork, translateInterfaces } from './interfaces.js';
import { translateNodeConfigs } from './node-configs.js';

const FIRST_VMID = 2001;

export function translateTalconfigNodes(
  root: Section,
  to: Translation,
  found: FoundNetwork,
  input: TalconfigInput,
): void {
  to.place(['nodes'], ['nodes']);
  const nodes = root.list('nodes');
  if (nodes.length === 0) root.required(undefined, 'nodes', '[{ hostname: … }]');
  for (const [index, node] of nodes.entries()) {
    const topf = input.tool === 'topf';
    const [nameKey, ipKey] = topf ? (['host', 'ip'] as const) : (['hostname', 'ipAddress'] as const);
    const name = node.required(node.text(nameKey), nameKey, 'cp-1');
    const ip = node.required(node.text(ipKey), ipKey, '10.20.30.41');
    if (!name || !ip) continue;
    const here = (key: string) => ['nodes', name.value, key];
    // talhelper takes several addresses of one machine, the first is that of its API.
    const address = ip.value.split(',')[0]?.trim() ?? '';
    to.place(['nodes', name.value], node.path);
    to.put(here('ip'), address, ip.path);
    to.put(here('role'), roleOf(node, topf), node.path);
    to.put(here('host'), PLACEHOLDERS.host, node.path);
    to.put(here('vmid'), FIRST_VMID + index, node.path);
    const values = valuesOf(input, index);
    const role = root.section(roleOf(node, topf) === 'worker' ? 'worker' : 'controlPlane');
    translateInterfaces(node.has('networkInterfaces') ? node : role, address, here, to, found);
    translateImage(node, values, here, to);
    translateInstall(node);
    const patches = translateNodeConfigs(node, values, here, to, input);
    const own = [...patches, ...(topf ? folderPatches(`node/${name.value}`, node.path, input) : [])];
    if (own.length > 0) to.put(here('patches'), own, node.path);
    node.refuseUnknown();
  }
}

function valuesOf({ document }: TalconfigInput, index: number): Readonly<Record<string, unknown>> {
  const { nodes } = document.raw;
  const value: unknown = Array.isArray(nodes) ? nodes[index] : undefined;
  return isMapping(value) ? value : {};
}

function roleOf(node: Section, topf: boolean): 'controlplane' | 'worker' {
  if (topf)
    return node.oneOf('role', ['control-plane', 'worker'])?.value === 'worker' ? 'worker' : 'controlplane';
  return node.flag('controlPlane')?.value ? 'controlplane' : 'worker';
}

function translateImage(
  node: Section,
  values: Readonly<Record<string, unknown>>,
  here: (key: string) => string[],
  to: Translation,
): void {
  node.has('schematic', 'schematicId');
  if (isMapping(values.schematic)) to.put(here('schematic'), values.schematic, [...node.path, 'schematic']);
  const url = node.text('talosImageURL');
  const file =
    typeof values.schematicId === 'string' ? /^@(?:\.\/)?(\S+)$/.exec(values.schematicId)?.[1] : undefined;
  if (file !== undefined) to.put(here('schematic'), file, [...node.path, 'schematicId']);
  const named = url?.path ?? (values.schematicId === undefined ? undefined : [...node.path, 'schematicId']);
  if (named !== undefined && file === undefined && !isMapping(values.schematic)) {
    node.warn(
      named,
      'talconfig.schematic',
      'the id of a schematic does not say what is in it',
      'write the schematic itself: `schematic:` with its `customization`',
    );
  }
  const spec = node.section('machineSpec');
  spec.has('mode', 'useUKI', 'bootMethod', 'imageSchematicOverride');
  const arch = spec.oneOf('arch', ['amd64', 'arm64']);
  if (arch && arch.value !== 'amd64') to.move(['talos', 'arch'], arch);
  if (spec.flag('secureboot')?.value) {
    spec.refuse(
      [...spec.path, 'secureboot'],
      'talconfig.unsupported',
      'Secure Boot is not supported on these VMs',
      'remove it',
    );
  }
  spec.refuseUnknown();
}

/** Talos is told to install onto our disk by its WWN; the host name is that of the node. */
function translateInstall(node: Section): void {
  node.has('installDisk', 'installDiskSelector', 'data', 'networkInterfaces');
  if (!node.flag('ignoreHostname')?.value) return;
  node.warn(
    [...node.path, 'ignoreHostname'],
    'talconfig.hostname',
    'a machine is called as its node',
    'remove it',
  );
}
