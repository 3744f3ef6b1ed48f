/** Conditions of the fleet's objects: as kstatus, Flux and Argo CD read them. */
const CLUSTER_CONDITIONS = [
  'Ready',
  'Reconciling',
  'Stalled',
  'ConfigValid',
  'Observed',
  'InSync',
  'AwaitingApproval',
  'Drifted',
  'Healthy',
  'LockHeld',
  'BackedUp',
  'CertificatesValid',
  'Distinct',
] as const;
type ConditionType = (typeof CLUSTER_CONDITIONS)[number];

interface StatusCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

type Verdict = Pick<StatusCondition, 'status' | 'reason' | 'message'>;
export type Verdicts = Partial<Record<ConditionType, Verdict>>;

export const holds = (reason: string, message = ''): Verdict => ({ status: 'True', reason, message });
export const fails = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });
export const unknown = (reason: string, message: string): Verdict => ({ status: 'Unknown', reason, message });

/** The given ones replace those of their type; the time of a transition changes with the status alone. */
export function withConditions(
  before: readonly StatusCondition[],
  verdicts: Verdicts,
  { now, generation }: { readonly now: number; readonly generation: number },
): StatusCondition[] {
  const given = Object.entries(verdicts).map(([type, verdict]): StatusCondition => {
    const old = before.find((condition) => condition.type === type);
    return {
      type,
      status: verdict.status,
      reason: verdict.reason,
      message: verdict.message.slice(0, 32_000),
      lastTransitionTime:
        old?.status === verdict.status
          ? old.lastTransitionTime
          : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
      observedGeneration: generation,
    };
  });
  const kept = before.filter(({ type }) => !given.some((one) => one.type === type));
  return [...given, ...kept].sort((a, b) => place(a.type) - place(b.type) || (a.type < b.type ? -1 : 1));
}

function place(type: string): number {
  const index = [...CLUSTER_CONDITIONS.map(String)].indexOf(type);
  return index < 0 ? CLUSTER_CONDITIONS.length : index;
}

/** `Reconciling` and `Stalled` are true or false by themselves; `Ready` says it in one word. */
export function progress(reason: string, message: string): Verdicts {
  return {
    Ready: fails(reason, message),
    Reconciling: holds(reason, message),
    Stalled: fails('Progressing', ''),
  };
}

/** Nothing goes on until a person acts. */
export function stalled(reason: string, message: string): Verdicts {
  return { Ready: fails(reason, message), Reconciling: fails(reason, ''), Stalled: holds(reason, message) };
}

/** Neither work nor an error: an approval, a window or a suspension is waited for. */
export function waiting(reason: string, message: string): Verdicts {
  return { Ready: fails(reason, message), Reconciling: fails(reason, ''), Stalled: fails(reason, '') };
}

export function settled(message: string): Verdicts {
  return {
    Ready: holds('Succeeded', message),
    Reconciling: fails('Succeeded', ''),
    Stalled: fails('Succeeded', ''),
  };
}
