/** A Proxmox with three hosts and nothing of ours on it, and the same after the VMs of a plan were created. */

import type { Config } from '../../../src/config/config.js';
import type { AuxiliaryDrive } from '../../../src/design/design.js';
import { design } from '../../../src/design/design-cluster.js';
import type { Permissions } from '../../../src/formats/proxmox/permissions.js';
import { parseVmid } from '../../../src/model/identity.js';
import {
  known,
  notAsked,
  type Observed,
  type ObservedVm,
  type ObservedVolume,
} from '../../../src/observe/observed.js';
import { completeList } from '../../../src/observe/observed-lists.js';
import { completeVms } from '../../../src/observe/observed-vms.js';
import type { Plan } from '../../../src/plan/plan.js';
import { planCluster } from '../../../src/plan/plan-cluster.js';
import type { StepOf } from '../../../src/plan/steps.js';

const HOSTS = ['pve1', 'pve2', 'pve3'];
const TIB = 1024 ** 4;

const ALLOWED = [
  'VM.Allocate',
  'VM.Audit',
  'VM.Config.Disk',
  'VM.Migrate',
  'Datastore.AllocateSpace',
  'Datastore.AllocateTemplate',
  'Sys.Modify',
];

/** Rights on `/` that propagate, as Proxmox lists them. */
export function everywhere(privileges: readonly string[]): Permissions {
  const held = Object.fromEntries(privileges.map((privilege) => [privilege, true]));
  return Object.fromEntries(
    ['/', '/access', '/nodes', '/pool', '/storage', '/vms'].map((path) => [path, held]),
  );
}

export function emptyProxmox(overrides: Partial<Observed> = {}): Observed {
  const perHost = <T>(name: string, value: (host: string) => T) =>
    Object.fromEntries(HOSTS.map((host) => [`${host}/${name}`, value(host)]));
  const storage = (name: string, type: string, content: readonly string[]) =>
    perHost(name, (host) => ({
      host,
      name,
      type,
      content,
      shared: false,
      active: true,
      total: 4 * TIB,
      used: 0,
    }));
  return {
    proxmox: { version: '9.1' },
    quorate: known(true),
    hosts: Object.fromEntries(HOSTS.map((name) => [name, { name, online: true, cpus: 32, memory: TIB }])),
    taken: {},
    vms: completeVms([]),
    lookalikes: {},
    storages: {
      ...storage('local-zfs', 'zfspool', ['images']),
      ...storage('local', 'dir', ['import', 'iso']),
    },
    images: perHost('local', () => known([])),
    volumes: perHost('local-zfs', () => completeList({})),
    bridges: Object.fromEntries(HOSTS.map((host) => [host, known([{ name: 'vmbr0', mtu: 1500 }])])),
    pciMappings: known({}),
    replicated: known([]),
    machines: {},
    access: {
      legacy: notAsked(),
      roles: completeList({}),
      users: completeList({}),
      tokens: completeList({}),
      acl: completeList({}),
      pools: completeList({}),
    },
    permissions: known(everywhere(ALLOWED)),
    ...overrides,
  };
}

/** As Proxmox stores it. */
function helperLine(vmid: number, drive: AuxiliaryDrive): string {
  if (drive.kind === 'cdrom') return `${drive.volid},media=cdrom`;
  if (drive.kind === 'cloudinit') return `${drive.storage}:vm-${vmid}-cloudinit,media=cdrom`;
  return `${drive.storage}:vm-${vmid}-${drive.kind},size=4M`;
}

type CreateStep = StepOf<'create-data-vm' | 'create-talos-vm'>;

/** What Proxmox would show once the plan's VMs and images are there. */
export function afterCreation(before: Observed, { steps }: Pick<Plan, 'steps'>): Observed {
  const created = steps.filter(
    (step): step is CreateStep => step.kind === 'create-data-vm' || step.kind === 'create-talos-vm',
  );
  const volids = new Map<string, string>();
  const volumes: Record<string, Record<string, ObservedVolume>> = {};
  const drivesOf = (step: CreateStep): Record<string, string> =>
    Object.fromEntries(
      step.drives.map((drive, index) => {
        const volid = `${drive.storage}:vm-${step.vmid}-disk-${index}`;
        volids.set(drive.wwn, volid);
        const key = `${step.host}/${drive.storage}`;
        volumes[key] = {
          ...volumes[key],
          [volid]: { volid, size: drive.size, vmid: step.vmid, format: 'raw' },
        };
        const options = Object.entries({
          ...drive.options,
          wwn: drive.wwn,
          size: `${drive.size / 1024 ** 2}M`,
        });
        return [drive.slot, [volid, ...options.map(([key, value]) => `${key}=${value}`)].join(',')];
      }),
    );
  const vms = created.map((step): [number, ObservedVm] => {
    const attached =
      step.kind === 'create-talos-vm'
        ? step.attach.map((drive): [string, string] => [
            drive.slot,
            [
              volids.get(drive.wwn) ?? '',
              ...Object.entries({ ...drive.options, wwn: drive.wwn }).map(
                ([key, value]) => `${key}=${value}`,
              ),
            ].join(','),
          ])
        : [];
    const options = Object.entries(step.options).map(([key, value]): [string, string] => [
      key,
      String(value),
    ]);
    const helpers = Object.entries(step.auxiliary).map(([slot, drive]) => [
      slot,
      helperLine(step.vmid, drive),
    ]);
    const values = Object.fromEntries([
      ...options,
      ...Object.entries(drivesOf(step)),
      ...attached,
      ...helpers,
    ]);
    return [
      step.vmid,
      {
        vmid: parseVmid(step.vmid) ?? step.vmid,
        host: step.host,
        name: String(step.options.name ?? ''),
        status: step.kind === 'create-talos-vm' ? 'running' : 'stopped',
        tags: (values.tags ?? '').split(';'),
        template: false,
        config: known({ digest: 'd', values, pending: {} }),
      },
    ];
  });
  const images = steps.filter((step) => step.kind === 'download-image');
  return {
    ...before,
    vms: completeVms(vms.map(([, vm]) => vm)),
    taken: Object.fromEntries(
      vms.map(([vmid, { name, host, tags, status, ...vm }]) => [
        vmid,
        { vmid: vm.vmid, name, host, tags, status },
      ]),
    ),
    volumes: {
      ...before.volumes,
      ...Object.fromEntries(Object.entries(volumes).map(([key, listed]) => [key, completeList(listed)])),
    },
    images: Object.fromEntries(
      Object.keys(before.images).map((key) => [
        key,
        known(images.filter((step) => `${step.host}/${step.storage}` === key).map((step) => step.volid)),
      ]),
    ),
  };
}

/** The cluster of a config as its first apply leaves it, as far as Proxmox shows it. */
export function builtProxmox(config: Config): Observed {
  const empty = emptyProxmox();
  return afterCreation(empty, planCluster(design(config), empty));
}
