import type { Call, Handlers } from '../api.js';
import { CPU_MODELS, VM_CPU_FLAGS } from '../validation/validators.js';

const MAY_SEE = ['Mapping.Audit', 'Mapping.Use', 'Mapping.Modify'];
const MACHINE_VERSIONS = ['11.0', '10.2', '10.1', '10.0', '9.2', '9.0', '8.2', '8.1', '8.0'];

export const capabilityHandlers: Handlers = {
  'GET /nodes/{node}/capabilities': () => [{ name: 'qemu' }],
  'GET /nodes/{node}/capabilities/qemu': () =>
    ['cpu', 'cpu-flags', 'machines', 'migration'].map((name) => ({ name })),
  'GET /nodes/{node}/capabilities/qemu/cpu': (call) => [
    ...[...CPU_MODELS]
      .filter((name) => name === 'max' || (vendorOf(name) === 'ARM') === isArm(call))
      .map((name) => ({
        name,
        custom: 0,
        vendor: vendorOf(name),
        // Levels of the architecture, no model of a processor.
        ...(name.startsWith('x86-64-') && { abstract: 1 }),
      })),
    ...[...call.pve.db.cpuModels.values()]
      .filter(
        ({ id }) =>
          call.allows('/nodes', ['Sys.Audit']) || call.allows(`/mapping/cpu/${id}`, MAY_SEE, { any: true }),
      )
      .map(({ id }) => ({ name: `custom-${id}`, custom: 1, vendor: 'default' })),
  ],
  'GET /nodes/{node}/capabilities/qemu/cpu-flags': cpuFlags,
  'GET /cluster/qemu/cpu-flags': cpuFlags,
  'GET /nodes/{node}/capabilities/qemu/machines': () =>
    (['i440fx', 'q35'] as const).flatMap((type) =>
      MACHINE_VERSIONS.map((version) => ({ id: `pc-${type}-${version}`, type, version })),
    ),
  'GET /nodes/{node}/capabilities/qemu/migration': () => ({ 'has-dbus-vmstate': 1 }),
};

const isArm = (call: Call) => call.text('arch') === 'aarch64';

/** Those that a VM can be given; the lab's processors report none. */
function cpuFlags(call: Call): unknown {
  return isArm(call) ? [] : VM_CPU_FLAGS.map((name) => ({ name, 'supported-on': [] }));
}

function vendorOf(model: string): string {
  if (/^(EPYC|Opteron|athlon|phenom)/.test(model)) return 'AuthenticAMD';
  if (/^(kvm|qemu|max|host|x86-64)/.test(model)) return 'default';
  return /^(cortex|neoverse|a64fx)/.test(model) ? 'ARM' : 'GenuineIntel';
}
