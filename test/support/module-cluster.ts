/** The parts of a cluster that the Terraform module makes, from what was recorded of the module itself. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import type { NodeConfig } from '../../src/config/config.js';
import { bundlePaths } from '../../src/design/machine-config/meaning.js';
import { parseTalosDocuments } from '../../src/formats/talos/talos-documents.js';
import { isMapping, type Mapping } from '../../src/formats/text/mapping.js';

/** The variables of the recorded run, in oxherd's words. */
const RECIPE = `cluster: { name: dev, kubernetes: v1.35.0, vip: 10.7.8.100 }
talos: { version: v1.12.4 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: proxmox, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.7.8.0/24, gateway: 10.7.8.1 }
hosts: { pve1: {}, pve2: {}, pve3: {} }
nodes:
  ctrl-01.example.com:
    { role: controlplane, host: pve1, ip: 10.7.8.11, vmid: 1001, memory: 4GiB, dns: [10.7.8.1, 1.1.1.1] }
  work-01.example.com: { role: worker, host: pve2, ip: 10.7.8.21, vmid: 1021, memory: 8GiB, vlan: 20, pci: [iGPU] }
volumes:
  data: { type: disk, size: 7GiB, on: all }
  dir: { type: directory, on: worker }
`;

/** `twins`: with a second volume of the size of the first, as one that was grown to it by hand. */
export function moduleRecipe({ twins = false }: ModuleOptions): string {
  return twins ? `${RECIPE}  logs: { type: disk, size: 7GiB, on: all }\n` : RECIPE;
}

export interface ModuleOptions {
  readonly twins?: boolean;
  /** A further document of every machine config. */
  readonly document?: Mapping;
}

/** The same as a person has them. */
export const MODULE_TFVARS = `cluster = {
  gateway = "10.7.8.1", gateway_api_version = "v1.4.1", kubernetes_version = "v1.35.0", name = "dev"
  proxmox_cluster = "proxmox", vip = "10.7.8.100"
}
image = { schematic_path = "schematic.yaml", version = "v1.12.4" }
proxmox = { cluster_name = "proxmox", endpoint = "https://pve1.lan:8006", insecure = true }
nodes = {
  "ctrl-01.example.com" = { cpu = 4, host_node = "pve1", ip = "10.7.8.11", machine_type = "controlplane", ram_dedicated = 4096, vm_id = 1001, dns = ["10.7.8.1", "1.1.1.1"], mac_address = "BC:24:11:00:00:01" }
  "work-01.example.com" = { cpu = 4, host_node = "pve2", ip = "10.7.8.21", machine_type = "worker", ram_dedicated = 8192, vm_id = 1021, vlan_id = 20, igpu = true }
}
volumes = { data = { type = "disk", size = "7G", machine_type = "all" }, dir = { type = "directory", size = "1G" } }
`;

export const MODULE_SCHEMATIC =
  'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n';

export function recordedOfModule(name: string): string {
  const path = new URL(`../recordings/fixtures/seed-module/${name}`, import.meta.url);
  return readFileSync(fileURLToPath(path), 'utf8');
}

/** Stands for each secret in the recordings. */
export const SECRET = 'U0VDUkVU';

type Sent = Readonly<Record<string, string>>;

/** What the provider sends for the pair of a node, and the OS disk that it imports by a way of its own. */
export async function makeModuleVms(
  { host, vmid }: NodeConfig,
  image: string,
  hand: ProxmoxClient,
  { twins = false }: ModuleOptions,
): Promise<void> {
  const sent = JSON.parse(recordedOfModule('create-params.json')) as readonly Sent[];
  const of = (id: number): Sent => {
    const { vmid: _, ...params } = sent.find((each) => each.vmid === String(id)) ?? {};
    return params;
  };
  const owned = of(vmid * 10);
  const twin = { scsi2: owned.scsi1 ?? '' };
  await hand.runTask(() => hand.createVm(host, vmid * 10, { ...owned, ...(twins && twin) }));
  const { smbios1 = '', ...params } = of(vmid);
  const options = params.scsi1?.replace(/^file=[^,]*,format=raw,size=\d+,/, '');
  await hand.runTask(() =>
    hand.createVm(host, vmid, {
      ...params,
      ...(twins && { scsi3: params.scsi2?.replace('-disk-1,', '-disk-2,') ?? '' }),
      smbios1: smbios1.replace(/uuid=.*/, `uuid=${randomUUID()}`),
      scsi0: `local-zfs:0,import-from=${image},${options}`,
    }),
  );
  await hand.runTask(() => hand.resizeDisk(host, vmid, 'scsi0', 5 * 1024 ** 3));
}

/** The recorded machine config of the role, with the secrets of `designed`. */
export function moduleMachineConfig(
  { role }: NodeConfig,
  designed: readonly Mapping[],
  { twins = false, document }: ModuleOptions,
): string {
  const secrets = designed.find(({ kind }) => kind === undefined) ?? {};
  const documents = parseTalosDocuments(recordedOfModule(`machineconfig-${role}.yaml`)).map(
    ({ value }) => value,
  );
  const [main = {}, ...rest] = documents;
  for (const path of bundlePaths()) {
    const value = path.reduce<unknown>((at, key) => (isMapping(at) ? at[key] : undefined), secrets);
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((at, key) => (isMapping(at) ? at[key] : undefined), main);
    const key = path.at(-1) ?? '';
    if (isMapping(parent) && parent[key] === SECRET) Reflect.set(parent, key, value);
  }
  // Talos wants one disk for a selector, so these name their disks; not in the order of their names.
  const onDevice = (device: string, name: string): Mapping => ({
    apiVersion: 'v1alpha1',
    kind: 'UserVolumeConfig',
    name,
    volumeType: 'disk',
    provisioning: { diskSelector: { match: `disk.dev_path == "${device}"` } },
  });
  const named = twins ? [onDevice('/dev/sdd', 'data'), onDevice('/dev/sdc', 'logs')] : [];
  return [
    main,
    ...rest.filter(({ name }) => !twins || name !== 'data'),
    ...named,
    ...(document ? [document] : []),
  ]
    .map((document) => stringify(document, { compat: 'yaml-1.1', lineWidth: 0 }))
    .join('---\n');
}
