/** Reads a running cluster that something else made: machines by the Talos API, VMs by that of Proxmox. Writes nothing. */
import { type TalosAccess, talosAccess } from '../../clients/talos/access.js';
import type { TalosClient } from '../../clients/talos/client.js';
import { RESOURCES } from '../../clients/talos/resources.js';
import type { ClusterFacts, MachineFacts, VmFacts } from '../../config/from-cluster/facts.js';
import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import { effectiveValues } from '../../formats/proxmox/vm-config.js';
import { parseTalosDocuments } from '../../formats/talos/talos-documents.js';
import { isMapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { readUuid } from '../../observe/observe-machines.js';
import { readVm } from '../../observe/read-vm.js';
import type { TalosconfigContext } from '../../secrets/read-talosconfig.js';
import type { Site } from '../connect/site.js';

interface ReadCluster {
  readonly facts: ClusterFacts;
  /** The machine config of a control plane, with the cluster's secrets in it. */
  readonly controlPlaneConfig: string;
  readonly notes: readonly string[];
}

interface Machine extends Omit<MachineFacts, 'vm'> {
  readonly uuid: string;
  readonly configText: string;
}

export async function readCluster(
  site: Pick<Site, 'client' | 'clock' | 'dial'>,
  { endpoints, credentials }: TalosconfigContext,
  proxmox: ClusterFacts['proxmox'],
): Promise<ReadCluster> {
  const talos = await talosAccess({ clock: site.clock, credentials, ...(site.dial && { dial: site.dial }) });
  try {
    const machines = await readMachines(talos, endpoints);
    const { vms, cluster } = await readVms(site);
    const notes: string[] = [];
    const withVms = machines.map(({ uuid, configText: _, ...machine }): MachineFacts => {
      const vm = vms.get(uuid);
      if (!vm) throw noVm(machine.name, uuid);
      const told = parsePropertyString(vm.values.ipconfig0 ?? '', 'ip').ip?.split('/')[0];
      if (told !== undefined && told !== 'dhcp' && told !== machine.address) {
        notes.push(`${machine.name} answers at ${machine.address}, its cloud-init drive says ${told}`);
      }
      return { ...machine, vm };
    });
    const plane = machines.find(({ role }) => role === 'controlplane');
    if (!plane)
      throw new OxherdError('cluster.no-control-plane', 'the talosconfig leads to no control plane');
    refuseOtherOwners(withVms);
    return {
      facts: { proxmox: { ...proxmox, ...(cluster !== undefined && { cluster }) }, machines: withVms },
      controlPlaneConfig: plane.configText,
      notes,
    };
  } finally {
    talos.close();
  }
}

function noVm(name: string, uuid: string): OxherdError {
  return new OxherdError('cluster.no-vm', `no VM of this Proxmox has the SMBIOS uuid of ${name} (${uuid})`, {
    advice: 'check that the machine runs on this Proxmox, and that the token may see its VM (VM.Audit)',
  });
}

/** Omni and Cluster API put back what others change. */
function refuseOtherOwners(machines: readonly MachineFacts[]): void {
  const linked = machines.filter(({ documents }) =>
    documents.some(({ kind }) => kind === 'SideroLinkConfig'),
  );
  if (linked.length > 0) {
    throw new OxherdError(
      'cluster.omni',
      `${linked.map(({ name }) => name).join(', ')}: managed by Omni (SideroLinkConfig)`,
      {
        advice:
          'release the machines there first: `omnictl cluster delete NAME` resets them, so export what you need; a managed cluster cannot be taken over',
      },
    );
  }
  const capi = machines.filter(({ vm }) =>
    /(?:^|;)(?:go-proxmox|capmox|cluster-api)/.test(vm.values.tags ?? ''),
  );
  if (capi.length > 0) {
    throw new OxherdError(
      'cluster.capi',
      `${capi.map(({ name }) => name).join(', ')}: managed by Cluster API (tag of its VM)`,
      {
        advice:
          'pause it first: `kubectl patch cluster NAME --type merge -p \'{"spec":{"paused":true}}\'`, then delete its ProxmoxMachine objects with their finalizers removed',
      },
    );
  }
}

async function readMachines(talos: TalosAccess, endpoints: readonly string[]): Promise<readonly Machine[]> {
  const failures: string[] = [];
  for (const endpoint of endpoints) {
    try {
      const members = (await talos.admin(endpoint)?.list(RESOURCES.members)) ?? [];
      if (members.length === 0)
        throw new OxherdError('cluster.no-members', 'it knows no members (is discovery on?)');
      return await Promise.all(
        members.map(({ id, spec }) => readMember(talos, id, isMapping(spec) ? spec : {})),
      );
    } catch (error) {
      failures.push(`${endpoint}: ${OxherdError.from(error).message}`);
    }
  }
  throw new OxherdError(
    'cluster.unreadable',
    `no control plane could be read (${failures.join('; ') || 'the talosconfig names no endpoint'})`,
    {
      advice: 'use a talosconfig of an administrator (os:admin) whose endpoints are control planes',
    },
  );
}

/** Of several addresses, one may be the VIP, where another machine answers. */
async function readMember(
  talos: TalosAccess,
  name: string,
  spec: Readonly<Record<string, unknown>>,
): Promise<Machine> {
  const addresses = (Array.isArray(spec.addresses) ? spec.addresses : [])
    .map(String)
    .filter((ip) => /^[\d.]+$/.test(ip));
  const failures: string[] = [];
  for (const address of addresses) {
    const client = talos.admin(address);
    if (!client) continue;
    try {
      const nodename = (await client.get(RESOURCES.nodename, 'nodename'))?.spec;
      if (isMapping(nodename) && nodename.nodename !== undefined && nodename.nodename !== name) continue;
      return await readMachine(
        client,
        name,
        address,
        spec.machineType === 'controlplane' ? 'controlplane' : 'worker',
      );
    } catch (error) {
      failures.push(`${address}: ${OxherdError.from(error).message}`);
    }
  }
  throw new OxherdError(
    'cluster.machine-unreadable',
    `${name} cannot be read (${failures.join('; ') || 'it has no address'})`,
  );
}

async function readMachine(
  client: TalosClient,
  name: string,
  address: string,
  role: MachineFacts['role'],
): Promise<Machine> {
  const [uuid, version, config, extensions, volumeDisks, hostname] = await Promise.all([
    readUuid(client),
    client.version(),
    client.get(RESOURCES.machineConfig, 'v1alpha1'),
    client.list(RESOURCES.extensionStatus),
    readVolumeDisks(client),
    client.get(RESOURCES.hostnameStatus, 'hostname'),
  ]);
  const configText = typeof config?.spec === 'string' ? config.spec : '';
  const named = extensions.map(({ spec }) =>
    isMapping(spec) && isMapping(spec.metadata) ? spec.metadata : {},
  );
  const schematic = named.find((each) => each.name === 'schematic')?.version;
  const status = isMapping(hostname?.spec) ? hostname.spec : {};
  const full = [status.hostname, status.domainname]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('.');
  return {
    name: full || name,
    role,
    address,
    uuid,
    configText,
    talosVersion: version.tag,
    ...(typeof schematic === 'string' && { schematic }),
    extensions: named.flatMap((each) =>
      typeof each.name === 'string' && each.name !== 'schematic' ? [each.name] : [],
    ),
    documents: parseTalosDocuments(configText).map(({ value }) => value),
    volumeDisks,
  };
}

/** Size of the disk that each volume is on. */
async function readVolumeDisks(client: TalosClient): Promise<Record<string, number>> {
  const [volumes, disks] = await Promise.all([
    client.list(RESOURCES.volumeStatus),
    client.list(RESOURCES.disks),
  ]);
  const sizes = new Map(
    disks.flatMap(({ id, spec }) => {
      if (!isMapping(spec) || typeof spec.size !== 'number') return [];
      return [[typeof spec.dev_path === 'string' ? spec.dev_path : `/dev/${id}`, spec.size] as const];
    }),
  );
  return Object.fromEntries(
    volumes.flatMap(({ id, spec }) => {
      const place = isMapping(spec) ? String(spec.parentLocation || spec.location || '') : '';
      const size = sizes.get(place) ?? sizes.get(place.replace(/p?\d+$/, ''));
      return size === undefined ? [] : [[id, size]];
    }),
  );
}

/** All VMs by SMBIOS uuid, with the VM that owns the disks a VM uses. */
async function readVms({
  client,
}: Pick<Site, 'client'>): Promise<{ vms: ReadonlyMap<string, VmFacts>; cluster?: string }> {
  const [listed, status] = await Promise.all([client.vms(), client.clusterStatus()]);
  const read = await Promise.all(
    listed
      .filter(({ template }) => !template)
      .map(async ({ vmid, node }) => ({
        vmid: Number(vmid),
        host: node,
        values: effectiveValues(await readVm(client, node, vmid)),
      })),
  );
  const byId = new Map(read.map((vm) => [vm.vmid, vm]));
  const vms = read.flatMap(({ vmid, host, values }): [string, VmFacts][] => {
    const uuid = parsePropertyString(values.smbios1 ?? '').uuid?.toLowerCase();
    if (uuid === undefined) return [];
    const data = byId.get(vmid * 10);
    const owns =
      data &&
      Object.entries(values).some(
        ([key, value]) => /^scsi\d+$/.test(key) && value.includes(`:vm-${data.vmid}-`),
      );
    return [
      [
        uuid,
        { vmid, host, values, ...(data && owns && { dataVm: { vmid: data.vmid, values: data.values } }) },
      ],
    ];
  });
  return { vms: new Map(vms), ...(status.name !== undefined && { cluster: status.name }) };
}
