/** A cluster of the fleet in one line. */
import { z } from 'zod';
import type { FleetObject } from '../api/group.js';

const text = z.string().optional().catch(undefined);

const shape = z.object({
  spec: z.object({ suspend: z.boolean().optional(), siteRef: z.object({ name: z.string() }) }),
  status: z
    .object({
      conditions: z
        .array(z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() }))
        .default([]),
      plan: z.object({ planId: z.string(), impact: text, steps: z.number().optional() }).optional(),
      run: z.object({ step: text, done: z.number().optional(), of: z.number().optional() }).optional(),
      kubernetes: text,
      talos: text,
      nextWindow: text,
      lastObserved: text,
    })
    .prefault({}),
});

export interface FleetRow {
  readonly namespace: string;
  readonly name: string;
  readonly site: string;
  readonly state: string;
  readonly ready: boolean;
  readonly inSync: string;
  readonly healthy: string;
  readonly planId?: string | undefined;
  readonly impact?: string | undefined;
  readonly steps?: number | undefined;
  readonly progress?: string;
  readonly kubernetes?: string | undefined;
  readonly talos?: string | undefined;
  readonly nextWindow?: string | undefined;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

export function rowOf(object: FleetObject): FleetRow {
  const { spec, status } = shape.parse(object);
  const { conditions, plan, run } = status;
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const ready = find('Ready');
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    site: spec.siteRef.name,
    state: spec.suspend === true ? 'Suspended' : (ready?.reason ?? 'New'),
    ready: ready?.status === 'True',
    inSync: find('InSync')?.status ?? 'Unknown',
    healthy: find('Healthy')?.status ?? 'Unknown',
    planId: plan?.planId,
    impact: plan?.impact,
    steps: plan?.steps,
    ...(run?.of !== undefined && { progress: `${run.done ?? 0}/${run.of}` }),
    kubernetes: status.kubernetes,
    talos: status.talos,
    nextWindow: status.nextWindow,
    conditions,
  };
}
