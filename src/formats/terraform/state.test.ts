import { expect, it } from 'vitest';
import { vmsInState } from './state.js';

const vm = (vm_id: number, index_key?: string | number) => ({
  ...(index_key !== undefined && { index_key }),
  attributes: { vm_id, name: 'x' },
});

it('finds the VMs of a state with their addresses', () => {
  const state = {
    version: 4,
    resources: [
      {
        module: 'module.talos',
        mode: 'managed',
        type: 'proxmox_virtual_environment_vm',
        name: 'this',
        instances: [vm(1001, 'ctrl-01'), vm(1021, 'work-01')],
      },
      { mode: 'managed', type: 'proxmox_virtual_environment_vm', name: 'one', instances: [vm(7, 0), vm(8)] },
      { mode: 'data', type: 'proxmox_virtual_environment_vm', name: 'seen', instances: [vm(9)] },
      {
        mode: 'managed',
        type: 'proxmox_virtual_environment_file',
        name: 'image',
        instances: [{ attributes: {} }],
      },
    ],
  };
  expect(vmsInState(JSON.stringify(state))).toEqual([
    { vmid: 1001, address: 'module.talos.proxmox_virtual_environment_vm.this["ctrl-01"]' },
    { vmid: 1021, address: 'module.talos.proxmox_virtual_environment_vm.this["work-01"]' },
    { vmid: 7, address: 'proxmox_virtual_environment_vm.one[0]' },
    { vmid: 8, address: 'proxmox_virtual_environment_vm.one' },
  ]);
  expect(vmsInState('')).toBeUndefined();
  expect(vmsInState('{"version":4}')).toBeUndefined();
});

it.each([
  ['proxmox_vm', { id: 7 }],
  ['proxmox_virtual_environment_vm2', { id: 7 }],
  ['proxmox_cloned_vm', { id: 7, name: 'x' }],
  ['proxmox_vm_qemu', { id: 'pve1/qemu/7', vmid: 7 }],
])('finds the VMs of %s', (type, attributes) => {
  const resources = [{ mode: 'managed', type, name: 'one', instances: [{ attributes }] }];
  expect(vmsInState(JSON.stringify({ resources }))).toEqual([{ vmid: 7, address: `${type}.one` }]);
});
