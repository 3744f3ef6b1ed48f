/** Hosts, VMs and storages. */

import type { Design } from '../design/design.js';
import { haStateIn } from '../formats/proxmox/ha-state.js';
import { lockAdvice } from '../formats/proxmox/vm-lock.js';
import type { Observed } from '../observe/observed.js';
import { findVm } from '../observe/observed-vms.js';
import type { Condition } from './condition.js';

/** Above this share of its size a storage counts as nearly full. */
const FULL = 0.9;

export function proxmoxConditions(design: Design, observed: Observed): Condition[] {
  const hosts = [...new Set(design.nodes.map((node) => node.host))].sort();
  return [
    quorum(observed),
    ...hosts.map((host) => hostOnline(observed, host)),
    ...design.nodes.flatMap((node) =>
      vmConditions(node.name, findVm(observed, node.talosVm.vmid), node.talosVm.vmid),
    ),
    ...haConditions(design, observed),
    ...storages(design, observed),
  ];
}

function quorum(observed: Observed): Condition {
  const base = { layer: 'proxmox', name: 'proxmox-quorum' } as const;
  if (!observed.quorate.known) return { ...base, state: 'unknown', message: observed.quorate.why };
  if (observed.quorate.value) return { ...base, state: 'ok', message: 'the Proxmox cluster has its quorum' };
  return {
    ...base,
    state: 'failed',
    message: 'the Proxmox cluster has lost its quorum: nothing can be changed or started',
    advice: 'bring its hosts back; see `pvecm status` on one of them',
  };
}

function hostOnline(observed: Observed, host: string): Condition {
  const there = observed.hosts[host];
  const base = { layer: 'proxmox', name: 'host-online', subject: host } as const;
  if (there?.online) return { ...base, state: 'ok', message: 'online' };
  return {
    ...base,
    state: 'failed',
    message: there ? 'the host is down' : 'there is no such host',
    advice: `see whether ${host} has power and network`,
  };
}

function vmConditions(node: string, answer: ReturnType<typeof findVm>, vmid: number): Condition[] {
  const base = { layer: 'proxmox', subject: node } as const;
  if (answer.state === 'hidden') {
    const state = answer.because === 'foreign' ? 'failed' : 'unknown';
    const advice = 'run `oxherd plan`: it names the command for it';
    return [{ ...base, name: 'vm-running', state, message: answer.why, advice }];
  }
  if (answer.state === 'absent') {
    return [
      {
        ...base,
        name: 'vm-running',
        state: 'failed',
        message: `VM ${vmid} does not exist`,
        advice: 'run `oxherd apply`',
      },
    ];
  }
  const { vm } = answer;
  const running: Condition =
    vm.status === 'running'
      ? { ...base, name: 'vm-running', state: 'ok', message: `VM ${vmid} runs on ${vm.host}` }
      : vm.status === 'unknown'
        ? { ...base, name: 'vm-running', state: 'unknown', message: `the state of VM ${vmid} is not known` }
        : {
            ...base,
            name: 'vm-running',
            state: 'failed',
            message: `VM ${vmid} is ${vm.status}`,
            advice: 'run `oxherd apply`, it starts it',
          };
  if (!vm.config.known) return [running];
  const { pending, values } = vm.config.value;
  const waiting = Object.keys(pending);
  return [
    running,
    waiting.length === 0
      ? { ...base, name: 'vm-no-pending', state: 'ok', message: 'no change waits for a restart' }
      : {
          ...base,
          name: 'vm-no-pending',
          state: 'failed',
          message: `changes wait for a restart of VM ${vmid}: ${waiting.join(', ')}`,
          advice: 'run `oxherd apply`',
        },
    ...(values.lock === undefined
      ? []
      : [
          {
            ...base,
            name: 'vm-unlocked',
            state: 'failed',
            message: `VM ${vmid} is locked by Proxmox (${values.lock})`,
            advice: lockAdvice(vmid, values.lock),
          } as const,
        ]),
  ];
}

/** Only where HA does not do what it is there for. */
function haConditions({ nodes }: Design, { ha }: Observed): Condition[] {
  if (!ha?.known) return [];
  return nodes.flatMap(({ name, talosVm, dataVm }) =>
    [talosVm, ...(dataVm ? [dataVm] : [])].flatMap(({ vmid, kind }): Condition[] => {
      const found = haStateIn(ha.value, { vmid, isData: kind === 'data' });
      if (!found) return [];
      const { blocks, message, advice } = found;
      const state = blocks ? 'failed' : 'note';
      return [{ layer: 'proxmox', name: 'ha-service', subject: name, state, message, advice }];
    }),
  );
}

function storages(design: Design, observed: Observed): Condition[] {
  const places = new Set([
    ...design.nodes.flatMap((node) => node.drives.map((drive) => `${node.host}/${drive.storage}`)),
    ...design.csiVolumes.map((volume) => `${volume.host}/${volume.storage}`),
  ]);
  return [...places].sort().flatMap((place): Condition[] => {
    const storage = observed.storages[place];
    const base = { layer: 'proxmox', name: 'storage-space', subject: place } as const;
    if (!storage?.total || storage.used === undefined)
      return [{ ...base, state: 'unknown', message: 'its size could not be read' }];
    const share = storage.used / storage.total;
    const message = `${Math.round(share * 100)} % used`;
    return share < FULL
      ? [{ ...base, state: 'ok', message }]
      : [
          {
            ...base,
            state: 'failed',
            message: `nearly full: ${message}`,
            advice: 'free space or grow it before a VM stops on a write error',
          },
        ];
  });
}
