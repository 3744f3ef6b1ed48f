/** What only shows when the design and the machine configs are made, told like every other problem of oxherd.yaml. */
import type { Config } from '../../config/config.js';
import { type Diagnostic, type Severity, sortDiagnostics } from '../../config/diagnostics.js';
import type { Place } from '../../config/load.js';
import type { Design } from '../../design/design.js';
import { design as designCluster } from '../../design/design-cluster.js';
import { type MachineConfig, MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import { PatchCache, patchesFor } from '../../design/machine-config/patches.js';
import { OxherdError } from '../../model/error.js';

/** Needs neither secrets nor a Proxmox: placeholders stand for them. */
export function designProblems(config: Config, placeOf: (subject: string) => Place): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const add = (severity: Severity, code: string, message: string, subject: string, hint?: string): void => {
    // The same patch says the same for every node that it is for.
    const key = `${subject} ${code} ${message}`;
    if (!found.has(key))
      found.set(key, { severity, code, message, ...(hint !== undefined && { hint }), ...placeOf(subject) });
  };
  const attempt = <T>(make: () => T): T | undefined => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof OxherdError)) throw error;
      add('error', error.code, error.message, error.where ?? '', error.advice);
      return undefined;
    }
  };

  const design = attempt((): Design => designCluster(config));
  if (!design) return [...found.values()];
  // Each patch by itself first: a machine config is given up at the first one that is refused.
  const patches = new PatchCache();
  for (const node of config.nodes)
    for (const source of patchesFor(config, node)) attempt(() => patches.parse(source));
  const writer = new MachineConfigWriter(config, design);
  for (const { name } of config.nodes) {
    const made = attempt((): MachineConfig => writer.forNode(name));
    for (const { origin, message } of made?.notices ?? [])
      add('warning', 'design.patch-erases', message, origin);
  }
  return sortDiagnostics([...found.values()]);
}
