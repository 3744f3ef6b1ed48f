/** Keys that would not outlive the disk they are for. */
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
        message: `\`lockToState\` would lose the data of \`${dataVmNode.name}\` with its next OS disk, where STATE is`,
        hint: 'remove it, or use the layout `single`',
      });
    }
    if (ephemeral?.kind === 'tpm' && dataVmNode) {
      report.error({
        code: 'talos.encryption',
        path: ['talos', 'encryption', 'ephemeral'],
        message: `a TPM key lives in the Talos VM of \`${dataVmNode.name}\`, which can be replaced; the data could not be read again`,
        hint: 'use `nodeID` or a `static` key',
      });
    }
    const seabios = nodes.find((node) => node.vm.bios === 'seabios');
    for (const [volume, key] of Object.entries({ state, ephemeral })) {
      if (key?.kind !== 'tpm' || !seabios || (volume === 'ephemeral' && dataVmNode)) continue;
      report.error({
        code: 'talos.encryption',
        path: ['talos', 'encryption', volume],
        message: `a TPM key needs UEFI, which \`${seabios.name}\` has not`,
        hint: 'write `bios: ovmf`',
      });
    }
  },
};
