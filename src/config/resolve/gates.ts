/** Gates by name: those of oxherd.yaml, and ready-made ones for storage that people run. */
import type { GateConfig } from '../policy-config.js';
import type { ConfigFile } from '../schema/file.js';

const DEFAULT_SECONDS = 600;
/** Replicas and placement groups take as long as the data is large. */
const REBUILD_SECONDS = 3600;

/** What `NAME: true` means. */
export const READY_GATES: Readonly<Record<string, Omit<GateConfig, 'name' | 'ifMissing'>>> = {
  // A detached volume has the robustness `unknown`: no one writes it, so it loses nothing.
  longhorn: {
    resource: 'volumes.longhorn.io/v1beta2',
    namespace: 'longhorn-system',
    expression:
      '!has(object.status.state) || object.status.state != "attached" || object.status.robustness == "healthy"',
    timeoutSeconds: REBUILD_SECONDS,
  },
  ceph: {
    resource: 'cephclusters.ceph.rook.io/v1',
    expression: 'has(object.status.ceph) && object.status.ceph.health == "HEALTH_OK"',
    timeoutSeconds: REBUILD_SECONDS,
  },
};

export function resolveGates(gates: NonNullable<ConfigFile['policy']>['gates']): GateConfig[] {
  return Object.entries(gates ?? {}).flatMap(([name, gate]): GateConfig[] => {
    if (gate === false) return [];
    const ready = Object.hasOwn(READY_GATES, name) ? READY_GATES[name] : undefined;
    const { timeout, ...own } = gate === true ? {} : gate;
    const { resource, expression } = { ...ready, ...own };
    // A gate that lacks one of them is reported by its check.
    if (resource === undefined || expression === undefined) return [];
    return [
      {
        ifMissing: 'closed',
        ...ready,
        ...own,
        name,
        resource,
        expression,
        timeoutSeconds: timeout ?? ready?.timeoutSeconds ?? DEFAULT_SECONDS,
      },
    ];
  });
}
