/**
 * Clusters that something else made, on a lab: VMs without our tags, uuids, MACs and WWNs, and machines installed with
 * configs of that origin. They go the way of those tools: VMs by the API, configs in maintenance mode, one bootstrap.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { connectFactory } from '../../src/clients/factory/factory-client.js';
import type { ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { connectProxmox } from '../../src/clients/proxmox/client.js';
import { type TalosConnections, talosAccess } from '../../src/clients/talos/access.js';
import { RESOURCES } from '../../src/clients/talos/resources.js';
import type { Config, NodeConfig } from '../../src/config/config.js';
import { design } from '../../src/design/design-cluster.js';
import { MachineConfigWriter } from '../../src/design/machine-config/machine-config.js';
import { isMapping, type Mapping } from '../../src/formats/text/mapping.js';
import { type Lab, startLab } from '../../src/lab/index.js';
import { labParts } from '../../src/lab/parts.js';
import { folderState } from '../../src/lab/state.js';
import { talosconfigText } from '../../src/secrets/client-files.js';
import { generateSecrets, issueTalosClient } from '../../src/secrets/generate.js';
import { fromBase64Pem } from '../../src/secrets/pem.js';
import type { TalosSecrets } from '../../src/secrets/talos-secrets.js';
import { worldOf } from '../../src/session/lab/lab-world.js';
import { CliFolder } from './cli.js';
import { type ModuleOptions, makeModuleVms, moduleMachineConfig, moduleRecipe } from './module-cluster.js';
import { configOf } from './vm-site.js';

export const ORIGINS = ['module', 'bpg-scsi', 'bpg-virtio', 'bpg-two-disks', 'talhelper', 'by-hand'] as const;
export type Origin = (typeof ORIGINS)[number];

export interface ForeignCluster {
  readonly folder: CliFolder;
  readonly secrets: TalosSecrets;
  /** What the builder worked from; nothing of it is left in the folder. */
  readonly config: Config;
}

const GIB = 1024 ** 3;

function recipe(origin: Origin, options: ModuleOptions): string {
  if (origin === 'module') return moduleRecipe(options);
  return `cluster: { name: theirs, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
hosts: { pve1: {}, pve2: {}, pve3: {} }
defaults: { all: { cores: 2, memory: 4GiB, disk: 12GiB, layout: single } }
nodes:
  ctrl-01: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 1001 }
  work-01: { role: worker, host: pve2, ip: 10.20.30.51, vmid: 1021 }
`;
}

/** The folder holds the lab and `talosconfig`, as a person has it who comes from elsewhere. */
export async function foreignCluster(origin: Origin, options: ModuleOptions = {}): Promise<ForeignCluster> {
  const folder = CliFolder.make();
  const config = configOf(recipe(origin, options));
  const secrets = await generateSecrets({ now: new Date(), random: (length) => randomBytes(length) });
  const client = await issueTalosClient(secrets, {
    now: new Date(),
    random: (length) => randomBytes(length),
  });
  folder.write(
    'talosconfig',
    talosconfigText(secrets, { cluster: config.cluster.name, endpoints: endpointsOf(config), client }),
  );
  const lab = await startLab({
    state: await folderState(join(folder.path, '.oxherd', 'lab')),
    world: worldOf(config),
    parts: labParts({ leases: origin === 'by-hand' ? leasesByHand(config) : {} }),
  });
  const hand = connectProxmox({
    endpoints: [lab.endpoint],
    token: lab.token,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    clock: lab.clock,
    random: () => 0.5,
  });
  const talos = await talosAccess({
    clock: lab.clock,
    dial: (host, port) => lab.dial(host, port),
    credentials: {
      ca: fromBase64Pem(secrets.certs.os.crt),
      certificate: fromBase64Pem(client.crt),
      key: fromBase64Pem(client.key),
    },
  });
  try {
    await downloadImages(config, lab, hand);
    for (const node of config.nodes) await makeVms(origin, node, config, hand, options);
    for (const { host, vmid } of config.nodes) await hand.runTask(() => hand.startVm(host, vmid));
    const writer = new MachineConfigWriter(config, design(config), { secrets });
    for (const node of config.nodes) {
      await until(lab, async () => (await talos.probe(node.ip)) === 'maintenance');
      const { documents } = writer.forNode(node.name);
      const text =
        origin === 'module'
          ? moduleMachineConfig(node, documents, options)
          : configText(origin, node, documents);
      await talos
        .maintenance(node.ip, 'its VM has just been made')
        .applyConfiguration(text, { mode: 'auto' });
    }
    await bootstrap(config, lab, talos);
    // Until the pods of the cluster run.
    await lab.clock.sleep(300_000);
  } finally {
    talos.close();
    await hand.close();
    await lab.stop();
  }
  return { folder, secrets, config };
}

function endpointsOf({ nodes }: Config): string[] {
  return nodes.filter(({ role }) => role === 'controlplane').map(({ ip }) => ip);
}

async function downloadImages(config: Config, lab: Lab, hand: ProxmoxClient): Promise<void> {
  const factory = connectFactory({ url: config.talos.factory, dial: (host, port) => lab.dial(host, port) });
  await factory.register(stringify(config.talos.schematic));
  await factory.close();
  for (const { host, storage, content, filename, url } of design(config).images) {
    await hand.runTask(() => hand.downloadUrl(host, storage, { content, filename, url }));
  }
}

const OPTIONS = 'aio=io_uring,backup=1,cache=writethrough,discard=on,iothread=1,replicate=1,ssd=1';

/** As bpg/proxmox sends them for a VM with its own disks; a pair of the module as it was recorded. */
async function makeVms(
  origin: Origin,
  node: NodeConfig,
  config: Config,
  hand: ProxmoxClient,
  options: ModuleOptions,
): Promise<void> {
  const { host, vmid } = node;
  const image = design(config).images.find((each) => each.host === host)?.volid ?? '';
  if (origin === 'module') return makeModuleVms(node, image, hand, options);
  if (origin === 'by-hand') return makeVmByHand(node, image, hand);
  const slot = systemSlot(origin);
  const drive = slot.startsWith('virtio') ? OPTIONS.replace(',ssd=1', '') : OPTIONS;
  await hand.runTask(() =>
    hand.createVm(host, vmid, {
      acpi: 1,
      agent: 'enabled=1,fstrim_cloned_disks=0,type=virtio',
      balloon: 0,
      bios: 'seabios',
      boot: `order=${slot}`,
      cores: 2,
      cpu: 'x86-64-v2-AES',
      description: node.role === 'controlplane' ? 'Talos Control Plane' : 'Talos Worker',
      ide2: 'local-zfs:cloudinit',
      ipconfig0: `gw=10.20.30.254,ip=${node.ip}/24`,
      keyboard: 'en-us',
      machine: 'q35',
      memory: 4096,
      name: node.name,
      nameserver: '10.20.30.254',
      net0: `virtio=BC:24:11:${randomBytes(3).toString('hex').toUpperCase().match(/../g)?.join(':')},bridge=vmbr0,firewall=0`,
      numa: 0,
      onboot: 1,
      ostype: 'l26',
      scsihw: 'virtio-scsi-single',
      smbios1: `base64=1,serial=${Buffer.from(`h=${node.name};i=${vmid}`).toString('base64')},uuid=${randomUUID()}`,
      sockets: 1,
      tablet: 1,
      tags: node.role === 'controlplane' ? 'control-plane;k8s' : 'k8s;worker',
      [slot]: `local-zfs:0,import-from=${image},${drive}`,
      ...(origin === 'bpg-two-disks' && { scsi1: `local-zfs:3,${OPTIONS}` }),
    }),
  );
  await hand.runTask(() => hand.resizeDisk(host, vmid, slot, 12 * GIB));
}

/** As the form of Proxmox's own pages makes it: nothing is said that is a default, and the address comes by DHCP. */
async function makeVmByHand(node: NodeConfig, image: string, hand: ProxmoxClient): Promise<void> {
  const { host, vmid, name } = node;
  await hand.runTask(() =>
    hand.createVm(host, vmid, {
      boot: 'order=scsi0;ide2;net0',
      cores: 2,
      cpu: 'x86-64-v2-AES',
      ide2: 'none,media=cdrom',
      memory: 4096,
      name,
      net0: `virtio=${macByHand(node)},bridge=vmbr0,firewall=1`,
      numa: 0,
      ostype: 'l26',
      scsi0: `local-zfs:0,import-from=${image},iothread=1`,
      scsihw: 'virtio-scsi-single',
      sockets: 1,
    }),
  );
  await hand.runTask(() => hand.resizeDisk(host, vmid, 'scsi0', 12 * GIB));
}

const macByHand = ({ ip }: NodeConfig) => `BC:24:11:AA:BB:${ip.split('.')[3]}`;

function leasesByHand({ nodes }: Config) {
  return Object.fromEntries(
    nodes.map((node) => [macByHand(node), { ip: node.ip, prefix: 24, gateway: '10.20.30.254' }]),
  );
}

function systemSlot(origin: Origin): string {
  return origin === 'bpg-virtio' ? 'virtio0' : 'scsi0';
}

/** The network in the main document, disks by path and size, the installer that the provider puts there. */
function configText(origin: Origin, node: NodeConfig, documents: readonly Mapping[]): string {
  const main = documents.find(({ kind }) => kind === undefined) ?? {};
  const machine = isMapping(main.machine) ? main.machine : {};
  const { nodeIP: _, ...kubelet } = isMapping(machine.kubelet) ? machine.kubelet : {};
  const disk = origin === 'bpg-virtio' ? '/dev/vda' : '/dev/sda';
  const sysctls = origin === 'talhelper' ? { sysctls: { 'fs.inotify.max_user_watches': '1048576' } } : {};
  const theirs = {
    ...main,
    machine: {
      ...machine,
      ...sysctls,
      certSANs: [],
      kubelet,
      install: { disk, image: 'ghcr.io/siderolabs/installer:v1.14.1', wipe: false, grubUseUKICmdline: true },
      nodeLabels: { 'topology.kubernetes.io/region': 'rack', 'topology.kubernetes.io/zone': node.host },
      network: {
        interfaces: [
          {
            deviceSelector: { busPath: '0*' },
            addresses: [`${node.ip}/24`],
            routes: [{ network: '0.0.0.0/0', gateway: '10.20.30.254' }],
            dhcp: false,
          },
        ],
        nameservers: ['10.20.30.254'],
      },
    },
  };
  const named = { apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'off', hostname: node.name };
  const second = {
    apiVersion: 'v1alpha1',
    kind: 'UserVolumeConfig',
    name: 'data',
    provisioning: { diskSelector: { match: 'disk.size < 5u * GiB' }, minSize: '1GiB' },
  };
  const all = [theirs, named, ...(origin === 'bpg-two-disks' ? [second] : [])];
  return all.map((document) => stringify(document, { compat: 'yaml-1.1' })).join('---\n');
}

async function bootstrap(config: Config, lab: Lab, talos: TalosConnections): Promise<void> {
  const [first] = config.nodes.filter(({ role }) => role === 'controlplane');
  const admin = (ip: string) => {
    const client = talos.admin(ip);
    if (!client) throw new Error('there are no credentials');
    return client;
  };
  for (const node of config.nodes)
    await until(lab, async () => (await talos.probe(node.ip)) === 'configured');
  await until(lab, async () => {
    await admin(first?.ip ?? '').bootstrap();
    return true;
  });
  for (const node of config.nodes) {
    await until(lab, async () => {
      const status = await admin(node.ip).get(RESOURCES.machineStatus, 'machine');
      const { spec } = status ?? {};
      return (
        isMapping(spec) && spec.stage === 'running' && isMapping(spec.status) && spec.status.ready === true
      );
    });
  }
}

/** In lab time; a machine that cannot be asked yet is asked again. */
async function until(lab: Lab, holds: () => Promise<boolean>): Promise<void> {
  let last: unknown;
  for (let tries = 0; tries < 400; tries++) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    await lab.clock.sleep(3000);
  }
  throw new Error('it does not come', { cause: last });
}
