/** Virtual hardware that Talos or Proxmox would refuse. */
import { bytes, formatSize, GIB, MIB } from '../../model/size.js';
import type { Fragment } from '../config-values.js';
import { pathOf } from '../resolve/levels.js';
import { type Check, hasExtension, OncePerEntry, originOf } from './check.js';

/**
 * CPU types of Proxmox VE 9 without the features of x86-64-v2 (SSE4.2, POPCNT, CMPXCHG16B), which Talos's kernel
 * and binaries need.
 */
const TOO_OLD_CPUS = new Set([
  ...[
    '486',
    'athlon',
    'Conroe',
    'core2duo',
    'coreduo',
    'kvm32',
    'kvm64',
    'Opteron_G1',
    'Opteron_G2',
    'Opteron_G3',
  ],
  ...['Penryn', 'pentium', 'pentium2', 'pentium3', 'phenom', 'qemu32', 'qemu64'],
]);

export const cpuTypes: Check = {
  needs: ['talos.arch'],
  run(input) {
    if (input.config.talos.arch !== 'amd64') return;
    for (const node of input.config.nodes) {
      if (!TOO_OLD_CPUS.has(node.vm.cpuType)) continue;
      input.report.error({
        code: 'node.cpu-type',
        path: pathOf(originOf(input, node).levels, 'cpuType'),
        message: `Talos does not run on the CPU type \`${node.vm.cpuType}\`: it needs x86-64-v2`,
        hint: 'write `cpuType: x86-64-v2-AES` or `cpuType: host`',
      });
    }
  },
};

/** Image of Talos 1.14: EFI 2101, BIOS 1, BOOT 2000, META 1, STATE 100 MiB, and room for the tables. */
const LEAST_OS_DISK = 4248 * MIB;
/**
 * EPHEMERAL of 2 GiB and a partition table at both ends: `CheckDiskForProvisioning` in controllers/block of Talos refuses
 * a disk of 2 GiB ("have not enough space").
 */
const LEAST_EPHEMERAL = 2 * GIB + 2 * MIB;
/** What Talos asks for on one disk: https://www.talos.dev, "System Requirements". */
const LEAST_SINGLE_DISK = 10 * GIB;
const LEAST_MEMORY = { controlplane: 2 * GIB, worker: GIB } as const;

export const machineSizes: Check = {
  needs: [],
  run(input) {
    const once = new OncePerEntry(input.report);
    for (const node of input.config.nodes) {
      const { vm, name, layout, role } = node;
      const { levels } = originOf(input, node);
      const say = (key: 'disk' | 'osDisk' | 'memory' | 'balloon', message: string, hint: string): void =>
        once.error(pathOf(levels, key), { code: 'node.size', path: pathOf(levels, key), message, hint });
      if (layout === 'data-vm' && vm.osDisk < LEAST_OS_DISK) {
        say(
          'osDisk',
          `a system disk of ${formatSize(vm.osDisk)} cannot hold the Talos image`,
          'write `osDisk: 5GiB`',
        );
      }
      const leastDisk = layout === 'single' ? LEAST_SINGLE_DISK : LEAST_EPHEMERAL;
      if (vm.disk < leastDisk) {
        const hint = `Talos needs ${formatSize(bytes(leastDisk))} at least`;
        say('disk', `a disk of ${formatSize(vm.disk)} is too small for \`${name}\``, hint);
      }
      if (vm.memory < LEAST_MEMORY[role]) {
        const hint = `Talos needs ${LEAST_MEMORY[role] / GIB}GiB at least on a ${role === 'worker' ? 'worker' : 'control plane'}`;
        say('memory', `${formatSize(vm.memory)} of memory is too little for \`${name}\``, hint);
      }
      if (vm.balloon > vm.memory) {
        say(
          'balloon',
          `ballooning cannot leave ${formatSize(vm.balloon)} of ${formatSize(vm.memory)}`,
          'write less than `memory`',
        );
      }
      for (const key of ['disk', 'osDisk', 'memory', 'balloon'] as const) {
        if (vm[key] % MIB !== 0)
          say(key, `${formatSize(vm[key])} is not a whole number of MiB`, 'write it in MiB or GiB');
      }
    }
  },
};

export const ioThreads: Check = {
  needs: [],
  run(input) {
    for (const node of input.config.nodes) {
      if (!node.vm.diskOptions.iothread || node.vm.scsiHardware === 'virtio-scsi-single') continue;
      input.report.warning({
        code: 'node.iothread',
        path: pathOf(originOf(input, node).levels, 'diskOptions', 'iothread'),
        message: `Proxmox ignores \`iothread\` with \`${node.vm.scsiHardware}\``,
        hint: 'write `scsiHardware: virtio-scsi-single`, or `iothread: false`',
      });
    }
  },
};

export const pciExpress: Check = {
  needs: [],
  run(input) {
    for (const node of input.config.nodes) {
      // qemu-server: "q35 machine model is not enabled".
      if (node.vm.machine.includes('q35') || !node.vm.pci.some((device) => device.pcie)) continue;
      input.report.error({
        code: 'node.pci',
        path: pathOf(originOf(input, node).levels, 'pci'),
        message: `PCI Express needs the machine type q35, not \`${node.vm.machine}\``,
        hint: 'write `machine: q35`, or `pcie: false` for the device',
      });
    }
  },
};

const AGENT = /(^|\/)qemu-guest-agent$/;

export const guestAgent: Check = {
  needs: ['talos.schematic'],
  run(input) {
    const checked = new Set<Fragment>();
    for (const node of input.config.nodes) {
      if (!node.vm.agent || checked.has(node.schematic)) continue;
      checked.add(node.schematic);
      if (hasExtension(node.schematic, AGENT)) continue;
      const { path } = originOf(input, node);
      input.report.warning({
        code: 'node.agent',
        path:
          node.schematic === input.config.talos.schematic ? ['talos', 'schematic'] : [...path, 'schematic'],
        message: 'the schematic has no guest agent, but `agent` is on: Proxmox will wait for it in vain',
        hint: 'add `siderolabs/qemu-guest-agent` to its extensions, or write `agent: false`',
      });
    }
  },
};
