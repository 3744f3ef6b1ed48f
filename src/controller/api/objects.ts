/** The fleet's objects as the controller uses them: read once, every value typed. */
import { z } from 'zod';
import { issueText } from '../../formats/text/issue-text.js';
import { parseDuration } from '../../model/duration.js';
import { OxherdError } from '../../model/error.js';
import type { FleetPolicy } from '../policy/decide.js';
import type { FleetObject } from './group.js';

const named = z.object({ name: z.string() });
const keyed = z.object({ name: z.string(), key: z.string().optional() });
const time = z.string().transform((text) => Date.parse(text));

const window = z.object({
  days: z.array(z.enum(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'])).default([]),
  start: z.string(),
  end: z.string(),
  timeZone: z.string().default('UTC'),
});

const backup = z.object({
  to: z.string(),
  endpoint: z.string().optional(),
  region: z.string().optional(),
  credentialsRef: named,
  at: z.array(z.string()).default(['02:00']),
  days: window.shape.days,
  timeZone: z.string().default('UTC'),
  keep: z.number().default(14),
});
export type BackupSpec = z.infer<typeof backup>;

const clusterSpec = z.object({
  source: z.object({
    configMap: z.object({ name: z.string(), path: z.string().default('oxherd.yaml') }).optional(),
    inline: z.string().optional(),
  }),
  siteRef: named,
  secretsRef: named.optional(),
  ageKeyRef: keyed.optional(),
  envSecretRef: named.optional(),
  interval: z.string().default('10m').transform(milliseconds),
  suspend: z.boolean().default(false),
  policy: z
    .object({
      auto: z.enum(['none', 'live', 'component', 'restart']).default('none'),
      windows: z.array(window).default([]),
      freezeUntil: time.optional(),
    })
    .prefault({})
    .transform(
      ({ freezeUntil, ...policy }): FleetPolicy => ({
        ...policy,
        ...(freezeUntil !== undefined && { freezeUntil }),
      }),
    ),
  backup: backup.optional(),
  deletionPolicy: z.enum(['Orphan', 'Destroy']).default('Orphan'),
});
export type ClusterSpec = z.infer<typeof clusterSpec>;

const siteSpec = z.object({
  endpoints: z.array(z.string()).min(1),
  ca: z.string().optional(),
  fingerprint: z.string().optional(),
  tokenSecretRef: keyed,
  allowedNamespaces: z.array(z.string()),
  limits: z
    .object({
      concurrentClusters: z.number().default(4),
      requestsPerSecond: z.number().default(50),
      disruptiveRuns: z.number().default(1),
    })
    .prefault({}),
});
export type SiteSpec = z.infer<typeof siteSpec>;

const approvalSpec = z.object({
  clusterRef: named,
  planId: z.string(),
  approvedBy: z.string(),
  expires: time,
});

const maintenanceSpec = z.object({
  siteRef: named,
  host: z.string(),
  duration: z.string().default('2h').transform(milliseconds),
  acceptPodsDown: z.boolean().default(false),
});
export type MaintenanceSpec = z.infer<typeof maintenanceSpec>;

const planSpec = z.object({
  clusterRef: named,
  planId: z.string(),
  desired: z.string().default(''),
  request: z.string().default('converge'),
  impact: z.string(),
  stepCount: z.number(),
  part: z.number(),
  parts: z.number(),
  steps: z.string(),
});
export type PlanSpec = z.infer<typeof planSpec>;

const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.number().exactOptional(),
});

const clusterStatus = z
  .looseObject({
    conditions: z.array(condition).catch([]).default([]),
    run: z
      .object({
        planId: z.string(),
        desired: z.string().default(''),
        holder: z.string().default(''),
        approvedBy: z.string().optional(),
      })
      .optional(),
    plan: z.object({ planId: z.string(), impact: z.string().optional() }).optional(),
    hosts: z.array(z.string()).default([]),
    claim: z.string().optional(),
    tag: z.string().default(''),
    changedAt: z.string().default(''),
    backup: z.object({ lastTime: time.optional(), failedAt: time.optional() }).prefault({}),
  })
  .prefault({});
type ClusterStatus = z.infer<typeof clusterStatus>;

/** One object with its identity. */
export interface Named<Spec> {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly deleted: boolean;
  readonly finalizers: readonly string[];
  readonly spec: Spec;
  readonly object: FleetObject;
}

function reader<S extends z.ZodType>(schema: S): (object: FleetObject) => Named<z.output<S>> {
  return (object) => {
    const { metadata, kind } = object;
    const parsed = schema.safeParse(object.spec ?? {});
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const path = ['spec', ...(issue?.path ?? [])];
      const reason = issueText({ path, message: issue?.message ?? 'not valid' });
      throw new OxherdError('fleet.invalid', `${kind} ${metadata.name} is not valid: ${reason}`);
    }
    return {
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      uid: metadata.uid ?? '',
      generation: metadata.generation ?? 1,
      deleted: metadata.deletionTimestamp !== undefined,
      finalizers: metadata.finalizers ?? [],
      spec: parsed.data,
      object,
    };
  };
}

export const readCluster = reader(clusterSpec);
export const readSite = reader(siteSpec);
export const readApproval = reader(approvalSpec);
export const readMaintenance = reader(maintenanceSpec);
export const readPlan = reader(planSpec);

/** What the controller wrote last; what it does not understand counts as not there. */
export function readStatus(object: FleetObject): ClusterStatus {
  const parsed = clusterStatus.safeParse(object.status ?? {});
  return parsed.success ? parsed.data : clusterStatus.parse({});
}

const siteStatus = z.object({
  observedGeneration: z.number().default(0),
  hosts: z.array(z.object({ name: z.string(), fingerprint: z.string().optional() })).default([]),
  sameAs: z.string().optional(),
  reachable: z.boolean().default(true),
});

/** What a site is known by, from its own status. */
export interface KnownSite {
  readonly name: string;
  readonly created: string;
  readonly endpoints: readonly string[];
  readonly hosts: readonly { readonly name: string; readonly fingerprint?: string | undefined }[];
  /** The site that it shares a Proxmox with, and that came first. */
  readonly sameAs: string | undefined;
  /** It was asked since it last changed. */
  readonly asked: boolean;
  /** False: it did not answer when it was last asked. */
  readonly reachable: boolean;
}

export function knownSite({ name, generation, spec, object }: Named<SiteSpec>): KnownSite {
  const parsed = siteStatus.safeParse(object.status ?? {});
  const { observedGeneration, hosts, sameAs, reachable } = parsed.success
    ? parsed.data
    : siteStatus.parse({});
  const created = object.metadata.creationTimestamp ?? '';
  const asked = observedGeneration === generation;
  return { name, created, endpoints: spec.endpoints, hosts, sameAs, asked, reachable };
}

const conditioned = z.object({ conditions: z.array(condition) });

/** Of an object of any kind. */
export function readConditions({ status }: FleetObject): readonly z.infer<typeof condition>[] {
  const parsed = conditioned.safeParse(status);
  return parsed.success ? parsed.data.conditions : [];
}

/** The schema has refused what is no duration; one of nothing would never come to rest. */
const SHORTEST_MS = 10_000;

function milliseconds(text: string): number {
  return Math.max(SHORTEST_MS, (parseDuration(text) ?? 0) * 1_000);
}
