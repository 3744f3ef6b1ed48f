/** A running cluster in the shape of oxherd.yaml. What its machine configs say besides comes as patches, later. */

import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import { schematicIdOf } from '../../formats/talos/schematic-reader.js';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { formatCidr, ipv4FromNumber, ipv4ToNumber, parseIPv4 } from '../../model/address.js';
import { describeVm, sizeText } from './describe-vm.js';
import type { ClusterFacts, MachineFacts } from './facts.js';

interface DescribedCluster {
  readonly raw: Record<string, unknown>;
  readonly notes: readonly string[];
}

export function describeCluster(facts: ClusterFacts): DescribedCluster {
  const { machines, proxmox } = facts;
  const first = machines.find(({ role }) => role === 'controlplane') ?? machines[0];
  const vms = machines.map((machine) => ({ machine, ...describeVm(machine.vm) }));
  const volumes = volumesOf(machines);
  const schematic = schematicOf(machines);
  const raw = {
    cluster: clusterOf(machines, first),
    talos: { version: first?.talosVersion, ...(schematic.value && { schematic: schematic.value }) },
    proxmox: {
      endpoint: proxmox.endpoint,
      cluster: regionOf(machines) ?? proxmox.cluster ?? 'proxmox',
      token: 'env:OXHERD_PROXMOX_TOKEN',
      ...(proxmox.fingerprint !== undefined && { fingerprint: proxmox.fingerprint }),
      ...(proxmox.insecure && { insecure: true }),
    },
    network: networkOf(machines),
    nodes: Object.fromEntries(
      vms.map(({ machine, keys }) => [
        machine.name,
        {
          role: machine.role,
          ip: machine.address,
          ...keys,
          ...(machine.talosVersion !== first?.talosVersion && { talosVersion: machine.talosVersion }),
        },
      ]),
    ),
    ...(Object.keys(volumes).length > 0 && { volumes }),
  };
  return { raw, notes: [...vms.flatMap(({ notes }) => notes), ...schematic.notes] };
}

const mainOf = ({ documents }: MachineFacts): Mapping =>
  documents.find(({ kind }) => kind === undefined) ?? {};

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isMapping(inner) ? inner[key] : undefined), value);
}

function clusterOf(
  machines: readonly MachineFacts[],
  first: MachineFacts | undefined,
): Record<string, unknown> {
  const main = first ? mainOf(first) : {};
  const vip = vipOf(machines);
  const endpoint = String(at(main, 'cluster', 'controlPlane', 'endpoint') ?? '');
  const planes = machines.filter(({ role }) => role === 'controlplane');
  const own = [vip, ...(planes.length === 1 ? [planes[0]?.address] : [])].map((ip) => `https://${ip}:6443`);
  const kubelet = String(at(main, 'machine', 'kubelet', 'image') ?? '');
  return Object.fromEntries(
    Object.entries({
      name: at(main, 'cluster', 'clusterName'),
      vip,
      endpoint: own.includes(endpoint) ? undefined : endpoint,
      kubernetes: kubelet.slice(kubelet.lastIndexOf(':') + 1),
      scheduleOnControlPlanes:
        at(main, 'cluster', 'allowSchedulingOnControlPlanes') === true ? true : undefined,
      domain: at(main, 'cluster', 'network', 'dnsDomain'),
      podSubnets: at(main, 'cluster', 'network', 'podSubnets'),
      serviceSubnets: at(main, 'cluster', 'network', 'serviceSubnets'),
    }).filter(([, value]) => value !== undefined),
  );
}

function interfacesOf(machine: MachineFacts): readonly unknown[] {
  const interfaces = at(mainOf(machine), 'machine', 'network', 'interfaces');
  return Array.isArray(interfaces) ? interfaces : [];
}

function vipOf(machines: readonly MachineFacts[]): string | undefined {
  for (const machine of machines) {
    const document = machine.documents.find(({ kind }) => kind === 'Layer2VIPConfig');
    const named =
      document?.name ??
      interfacesOf(machine)
        .map((each) => at(each, 'vip', 'ip'))
        .find((ip) => ip !== undefined);
    if (typeof named === 'string') return named;
  }
  return undefined;
}

/** Gateway and mask: of the cloud-init drive, else of the machine config. */
function networkOf(machines: readonly MachineFacts[]): Record<string, unknown> {
  const [machine] = machines;
  const cloudInit = parsePropertyString(machine?.vm.values.ipconfig0 ?? '', 'ip');
  const [theirs] = machine ? interfacesOf(machine) : [];
  const addresses = at(theirs, 'addresses');
  const routes = at(theirs, 'routes');
  const route: unknown = Array.isArray(routes) ? routes[0] : undefined;
  const address =
    cloudInit.ip ?? (Array.isArray(addresses) ? String(addresses[0]) : `${machine?.address}/24`);
  const subnet = subnetOf(address);
  const gateway = cloudInit.gw ?? at(route, 'gateway') ?? subnet?.replace(/\d+\/\d+$/, '1');
  const isStatic = machine?.vm.values.ipconfig0 !== undefined && cloudInit.ip !== 'dhcp';
  return { subnet, gateway, ...(!isStatic && { firstBoot: 'dhcp' }) };
}

function subnetOf(text: string): string | undefined {
  const [ip = '', length = '24'] = text.split('/');
  const parsed = parseIPv4(ip);
  const prefix = Number(length);
  const network =
    parsed && ipv4FromNumber(Math.floor(ipv4ToNumber(parsed) / 2 ** (32 - prefix)) * 2 ** (32 - prefix));
  return network && formatCidr({ network, prefix });
}

/** The region that nodes are labelled with, which CSI handles carry too. */
function regionOf(machines: readonly MachineFacts[]): string | undefined {
  const regions = machines.map((each) =>
    at(mainOf(each), 'machine', 'nodeLabels', 'topology.kubernetes.io/region'),
  );
  const [first] = regions;
  return typeof first === 'string' && regions.every((each) => each === first) ? first : undefined;
}

/** User volumes that are a disk or a directory of their own, where the layout has them. */
function volumesOf(machines: readonly MachineFacts[]): Record<string, unknown> {
  const found = new Map<
    string,
    { type: string; size?: string | undefined; filesystem?: unknown; on: Set<string> }
  >();
  for (const machine of machines.filter(({ vm }) => vm.dataVm !== undefined)) {
    for (const document of machine.documents.filter(({ kind }) => kind === 'UserVolumeConfig')) {
      const { name, volumeType: type } = document;
      if (typeof name !== 'string' || (type !== 'disk' && type !== 'directory')) continue;
      const size = type === 'disk' ? sizeText(machine.volumeDisks[`u-${name}`]) : undefined;
      const entry = found.get(name) ?? {
        type,
        size,
        filesystem: at(document, 'filesystem', 'type'),
        on: new Set(),
      };
      entry.on.add(machine.role);
      found.set(name, entry);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, { type, size, filesystem, on }]) => [
      name,
      {
        type,
        ...(size !== undefined && { size }),
        ...(filesystem !== undefined && { filesystem }),
        on: on.size > 1 ? 'all' : [...on][0],
      },
    ]),
  );
}

function schematicOf(machines: readonly MachineFacts[]): { value?: object; notes: readonly string[] } {
  const [machine] = machines;
  if (!machine?.schematic) return { notes: [] };
  const officialExtensions = machine.extensions.map((name) => `siderolabs/${name}`).sort();
  const value = { customization: { systemExtensions: { officialExtensions } } };
  if (schematicIdOf(value) === machine.schematic) return { value, notes: [] };
  const empty = schematicIdOf({});
  if (machine.schematic === empty) return { value: { customization: {} }, notes: [] };
  return {
    value,
    notes: [
      `the schematic ${machine.schematic} has more in it than its extensions: write it into talos.schematic before an upgrade`,
    ],
  };
}
