import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { MachineService } from '../../../clients/talos/gen/machine/machine_pb.js';
import { programsOf } from '../machine/programs.js';
import { viewDisks } from '../volumes/disks.js';
import type { Endpoint } from './caller.js';

type Target = (context: HandlerContext) => Endpoint;

/** What the kernel counts. The lab measures nothing: figures follow from what runs. */
export function kernelCalls(target: Target) {
  return {
    memory(_request, context) {
      const { machine } = target(context);
      const total = Math.floor(machine.hardware.memory / 1024);
      const programs = programsOf(machine).reduce((sum, { memory }) => sum + memory / 1024, 0);
      const used = Math.min(Math.floor(programs), Math.floor(total * 0.9));
      const cached = Math.floor((total - used) / 4);
      const meminfo = {
        memtotal: BigInt(total),
        memfree: BigInt(total - used - cached),
        memavailable: BigInt(total - used),
        cached: BigInt(cached),
      };
      return { messages: [{ meminfo }] };
    },

    loadAvg: () => ({ messages: [{ load1: 0.25, load5: 0.2, load15: 0.15 }] }),

    systemStat(_request, context) {
      const { machine } = target(context);
      const seconds = (machine.room.core.clock.now() - machine.record.bootedAt) / 1000;
      const cpu = () => ({ user: seconds * 0.05, system: seconds * 0.03, idle: seconds * 0.92 });
      const { cores } = machine.hardware;
      return {
        messages: [
          {
            bootTime: BigInt(Math.floor(machine.record.bootedAt / 1000)),
            cpuTotal: {
              user: seconds * 0.05 * cores,
              system: seconds * 0.03 * cores,
              idle: seconds * 0.92 * cores,
            },
            cpu: Array.from({ length: cores }, cpu),
            processCreated: BigInt(programsOf(machine).length),
            processRunning: 1n,
          },
        ],
      };
    },

    cPUInfo(_request, context) {
      const { cores } = target(context).machine.hardware;
      const cpuInfo = Array.from({ length: cores }, (_, processor) => ({
        processor,
        vendorId: 'GenuineIntel',
        modelName: 'QEMU Virtual CPU version 2.5+',
        cpuMhz: 2400,
        cpuCores: cores,
        siblings: cores,
        coreId: String(processor),
      }));
      return { messages: [{ cpuInfo }] };
    },

    networkDeviceStats(_request, context) {
      const names = target(context).machine.hardware.nics.map((_, index) => `eth${index}`);
      return { messages: [{ total: {}, devices: ['lo', ...names].map((name) => ({ name })) }] };
    },

    diskStats(_request, context) {
      const devices = viewDisks(target(context).machine.hardware).map(({ id }) => ({ name: id }));
      return { messages: [{ total: {}, devices }] };
    },
  } satisfies Partial<ServiceImpl<typeof MachineService>>;
}
