/** ARM machines are no PCs: neither chipset nor CPU nor BIOS of one fits. */
import { pathOf } from '../resolve/levels.js';
import { type Check, OncePerEntry, originOf } from './check.js';

/** CPU types of QEMU for aarch64; what a custom one is, its host knows. */
const ARM_CPU = /^(host|max|cortex-a\d+|neoverse-[nv]\d+|a64fx|custom-.+)$/i;

export const architecture: Check = {
  needs: ['talos.arch'],
  run(input) {
    if (input.config.talos.arch !== 'arm64') return;
    const once = new OncePerEntry(input.report);
    for (const node of input.config.nodes) {
      const { machine, cpuType, bios } = node.vm;
      const { levels } = originOf(input, node);
      const wrong = [
        { key: 'machine', is: machine, fits: machine.startsWith('virt'), write: 'virt' },
        { key: 'cpuType', is: cpuType, fits: ARM_CPU.test(cpuType), write: 'host' },
        { key: 'bios', is: bios, fits: bios === 'ovmf', write: 'ovmf' },
      ] as const;
      for (const { key, is, fits, write } of wrong) {
        if (fits) continue;
        const path = pathOf(levels, key);
        once.error(path, {
          code: `node.arch-${key.toLowerCase()}`,
          path,
          message: `an arm64 image does not run on \`${key}: ${is}\``,
          hint: `write \`${key}: ${write}\`, or \`arch: amd64\``,
        });
      }
    }
  },
};
