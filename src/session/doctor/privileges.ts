/** Which privileges the design needs on which path, and why. The table is what Proxmox VE 9.2 was seen to ask for. */
import type { Config } from '../../config/config.js';
import type { Design, VmDesign } from '../../design/design.js';
import { bridgesOf, storagesOf } from './wanted.js';

export interface NeededPrivileges {
  readonly path: string;
  readonly privileges: readonly string[];
  /** `should`: without it something is left out, and the plan says so. */
  readonly need: 'must' | 'should';
  readonly why: string;
}

const VM = [
  'VM.Allocate',
  'VM.Audit',
  'VM.Config.CDROM',
  'VM.Config.CPU',
  'VM.Config.Disk',
  'VM.Config.HWType',
  'VM.Config.Memory',
  'VM.Config.Network',
  'VM.Config.Options',
  'VM.PowerMgmt',
] as const;

export function neededPrivileges(config: Config, design: Design): NeededPrivileges[] {
  const vms = design.nodes.flatMap((node) => [node.talosVm, ...(node.dataVm ? [node.dataVm] : [])]);
  return [
    ...vms.map((vm) => ({
      ...must(`/vms/${vm.vmid}`, `create and change VM ${vm.name}`),
      privileges: vmPrivileges(vm),
    })),
    ...storageNeeds(design),
    ...hostNeeds(design),
    ...bridgesOf(config, design).map(({ bridge, vlan }) => ({
      ...must(
        `/sdn/zones/localnetwork/${bridge}${vlan === undefined ? '' : `/${vlan}`}`,
        `plug VMs into ${bridge}`,
      ),
      privileges: ['SDN.Use'],
    })),
    ...mappingNeeds(config),
    {
      ...must('/pool', 'hold the cluster lock and see who holds it'),
      privileges: ['Pool.Allocate', 'Pool.Audit'],
    },
    ...accessNeeds(design),
    ...backupNeeds(design),
    ...moveNeeds(config, vms),
    ...haNeeds(design),
    ...(vms.some((vm) => 'startup' in vm.options)
      ? [{ ...should('/', 'set the start order'), privileges: ['Sys.Modify'] }]
      : []),
  ];
}

function must(path: string, why: string) {
  return { path, need: 'must' as const, why };
}

function should(path: string, why: string) {
  return { path, need: 'should' as const, why };
}

function vmPrivileges(vm: VmDesign): string[] {
  return vm.kind === 'talos' ? [...VM, 'VM.GuestAgent.Audit'].sort() : [...VM];
}

function storageNeeds(design: Design): NeededPrivileges[] {
  const disks = [...new Set(storagesOf(design).map(({ storage }) => storage))];
  const images = [...new Set(design.images.map(({ storage }) => storage))];
  return [
    ...disks.map((storage) => ({
      ...must(`/storage/${storage}`, 'create disks'),
      privileges: ['Datastore.AllocateSpace', 'Datastore.Audit'],
    })),
    ...images.map((storage) => ({
      ...must(`/storage/${storage}`, 'download and read images'),
      privileges: ['Datastore.AllocateSpace', 'Datastore.AllocateTemplate', 'Datastore.Audit'],
    })),
  ];
}

function hostNeeds(design: Design): NeededPrivileges[] {
  const hosts = [...new Set(design.nodes.map((node) => node.host))].sort();
  return [
    { ...must('/', 'see the state of the cluster'), privileges: ['Sys.Audit'] },
    ...hosts.map((host) => ({
      ...must(`/nodes/${host}`, 'see the host and download to it'),
      privileges: ['Sys.AccessNetwork', 'Sys.Audit'],
    })),
  ];
}

function mappingNeeds(config: Config): NeededPrivileges[] {
  const mappings = new Set(config.nodes.flatMap((node) => node.vm.pci.map((pci) => pci.mapping)));
  return [...mappings].sort().map((mapping) => ({
    ...must(`/mapping/pci/${mapping}`, 'pass the device through'),
    privileges: ['Mapping.Use'],
  }));
}

function backupNeeds({ backup }: Design): NeededPrivileges[] {
  if (!backup) return [];
  return [
    { ...should('/', 'keep the backup job'), privileges: ['Sys.Modify'] },
    {
      ...should(`/storage/${backup.storage}`, 'see how old backups are'),
      privileges: ['Datastore.AllocateSpace', 'Datastore.Audit'],
    },
  ];
}

/** `host drain`, `return` and `roll`, `capacity --balance`, and another `host` in oxherd.yaml. */
function moveNeeds(config: Config, vms: readonly VmDesign[]): NeededPrivileges[] {
  const used = new Set(vms.map((vm) => vm.host));
  const others = config.hosts.map(({ name }) => name).filter((name) => !used.has(name));
  if (used.size + others.length < 2) return [];
  return [
    ...vms.map((vm) => ({
      ...should(`/vms/${vm.vmid}`, 'move a node to another host (`oxherd host drain`)'),
      privileges: ['VM.Migrate'],
    })),
    ...others.map((host) => ({
      ...should(`/nodes/${host}`, 'see whether nodes of a drained host can go there'),
      privileges: ['Sys.Audit'],
    })),
  ];
}

/** Proxmox asks the same for resources, rules and moves; reading them is covered by Sys.Audit. */
function haNeeds({ ha }: Design): NeededPrivileges[] {
  if (!ha) return [];
  return [{ ...should('/', 'keep HA resources and rules, and move VMs by HA'), privileges: ['Sys.Console'] }];
}

/** Without these `plan` prints the commands for someone who has them. */
function accessNeeds(design: Design): NeededPrivileges[] {
  const kinds = new Set(design.access.map((access) => access.kind));
  const aclPaths = new Set(design.access.flatMap((access) => (access.kind === 'acl' ? [access.path] : [])));
  return [
    ...(kinds.has('role') ? [{ ...should('/access', 'create roles'), privileges: ['Sys.Modify'] }] : []),
    ...(kinds.has('user')
      ? [
          { ...should('/access/realm/pve', 'create users'), privileges: ['Realm.AllocateUser'] },
          { ...should('/access/groups', 'create users and tokens'), privileges: ['User.Modify'] },
        ]
      : []),
    ...[...aclPaths]
      .sort()
      .map((path) => ({ ...should(path, 'grant rights there'), privileges: ['Permissions.Modify'] })),
  ];
}
