/** Keys that would not outlive the disk they are for, or that Talos would not make. */
import { canMakeNodeKey } from '../../formats/talos/volume-encryption.js';
import type { Check } from './check.js';

export const encryption: Check = {
  needs: ['talos.encryption', 'nodes', 'defaults'],
  run({ config: { talos, nodes }, report }) {
    const { state, ephemeral } = talos.encryption ?? {};
    const dataVmNode = nodes.find((node) => node.layout === 'data-vm');
    if (state?.lockToState) {
      report.error({
        code: 'talos.encryption',
        path: ['talos', 'encryption', 'state', 'lockToState'],
        message: 'STATE cannot be locked to itself',
        hint: 'remove `lockToState`',
      });
    }
    if (ephemeral?.lockToState && dataVmNode) {
      report.error({
        code: 'talos.encryption',
        path: ['talos', 'encryption', 'ephemeral', 'lockToState'],
        message: `\`lockToState\` would lose the data of \`${dataVmNode.name}\` with its next system disk, where STATE is`,
        hint: 'remove it, or use the layout `single`',
      });
    }
    const poor = nodes.find(({ uuid }) => uuid !== undefined && !canMakeNodeKey(uuid));
    if (poor && [state, ephemeral].some((key) => key?.kind === 'nodeID')) {
      report.error({
        code: 'talos.encryption',
        path: ['nodes', poor.name, 'uuid'],
        message: `Talos makes no \`nodeID\` key of the uuid of \`${poor.name}\`: one character occurs more than 18 times`,
        hint: 'use a `static` key, or give a VM that does not exist yet a random uuid',
      });
    }
    for (const [volume, key] of Object.entries({ state, ephemeral })) {
      if (key?.kind !== 'tpm') continue;
      report.error({
        code: 'talos.encryption',
        path: ['talos', 'encryption', volume],
        // Talos seals the key to the signed policy of a Secure Boot image; the images here have none.
        message: 'a TPM key needs Secure Boot, which these VMs do not have',
        hint: 'use `nodeID` or a `static` key',
      });
    }
  },
};
