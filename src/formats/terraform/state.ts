/** VMs in a Terraform (or OpenTofu) state, version 4: where they are in it, by their ids. */
import { isMapping } from '../text/mapping.js';

/** Of bpg/proxmox, also by its short names, and of Telmate/proxmox. */
const VM_TYPE = /^proxmox_(?:virtual_environment_(?:cloned_)?vm2?|(?:cloned_)?vm2?|vm_qemu)$/;

/** `undefined`: the text is no state. */
export function vmsInState(text: string): { readonly vmid: number; readonly address: string }[] | undefined {
  const state = parsed(text);
  if (!isMapping(state) || !Array.isArray(state.resources)) return undefined;
  return state.resources.flatMap((resource: unknown) => {
    if (!isMapping(resource) || resource.mode !== 'managed' || !VM_TYPE.test(String(resource.type)))
      return [];
    const prefix = typeof resource.module === 'string' ? `${resource.module}.` : '';
    const instances = Array.isArray(resource.instances) ? resource.instances : [];
    return instances.flatMap((instance: unknown) => {
      const attributes = isMapping(instance) && isMapping(instance.attributes) ? instance.attributes : {};
      const vmid = Number(attributes.vm_id ?? attributes.vmid ?? attributes.id);
      if (!Number.isInteger(vmid) || vmid <= 0) return [];
      const key = isMapping(instance) ? instance.index_key : undefined;
      const index = key === undefined ? '' : `[${JSON.stringify(key)}]`;
      return [{ vmid, address: `${prefix}${String(resource.type)}.${String(resource.name)}${index}` }];
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
