/** What property strings must be beyond their schema. */
import { FORMATS } from '../gen/schema.js';

/** CPU models that need no definition of their own. */
export const CPU_MODELS: ReadonlySet<string> = new Set([
  ...(FORMATS.get('pve-vm-cpu-conf')?.['reported-model']?.enum ?? []),
  'host',
  'x86-64-v2',
  'x86-64-v2-AES',
  'x86-64-v3',
  'x86-64-v4',
]);

export const VM_CPU_FLAGS =
  'aes amd-no-ssb amd-ssbd hv-evmcs hv-tlbflush ibpb md-clear nested-virt pcid pdpe1gb spec-ctrl ssbd virt-ssbd'.split(
    ' ',
  );

/** What a VM's `cpu` may say beyond its schema. */
function vmCpu(cpu: Record<string, string>): string | undefined {
  const { cputype, flags } = cpu;
  if (!cputype) return 'CPU is missing cputype';
  if (!cputype.startsWith('custom-') && !CPU_MODELS.has(cputype)) {
    return `Built-in cputype '${cputype}' is not defined (missing 'custom-' prefix?)`;
  }
  const bad = flags?.split(';').some((flag) => !VM_CPU_FLAGS.includes(flag.slice(1)));
  if (bad) return `VM-specific CPU flags must be a subset of: ${VM_CPU_FLAGS.join(', ')}`;
  if (cpu['reported-model'] !== undefined)
    return "Property 'reported-model' not allowed in VM-specific CPU config.";
  return undefined;
}

function pruneBackups(keep: Record<string, string>): string | undefined {
  const others = Object.entries(keep).filter(([key, value]) => key !== 'keep-all' && Number(value) > 0);
  return keep['keep-all'] === '1' && others.length > 0
    ? 'keep-all cannot be set together with other options.'
    : undefined;
}

function fleecing({ enabled, storage }: Record<string, string>): string | undefined {
  return enabled === '1' && !storage ? "'storage' parameter is required when 'enabled' is set" : undefined;
}

export function formatValidator(
  format: string,
): ((parsed: Record<string, string>) => string | undefined) | undefined {
  if (format === 'pve-vm-cpu-conf') return vmCpu;
  if (format === 'prune-backups') return pruneBackups;
  if (format === 'backup-fleecing') return fleecing;
  return undefined;
}
