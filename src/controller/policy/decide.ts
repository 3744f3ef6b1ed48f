/** Whether a plan may be applied now: by policy, approval, window and freeze. Pure: the time is an argument. */
import { IMPACTS, type Impact } from '../../session/plan/index.js';
import { nextWindow, openWindow, type Window } from './windows.js';

export type Auto = 'none' | 'live' | 'component' | 'restart';

export interface FleetPolicy {
  readonly auto: Auto;
  readonly windows: readonly Window[];
  /** Milliseconds since the epoch. */
  readonly freezeUntil?: number;
}

/** A yes to this very plan. */
export interface GivenApproval {
  readonly by: string;
  readonly expires: number;
}

export interface Question {
  readonly policy: FleetPolicy;
  readonly impact: Impact;
  /** The Kubernetes API will not answer for a while. */
  readonly outage: boolean;
  /** What stops the plan as a whole. */
  readonly problem?: string;
  readonly approval?: GivenApproval;
  /** It is the rest of a run that was approved and cut off. */
  readonly continues?: { readonly by: string };
  /** The object is deleted with `deletionPolicy: Destroy`. */
  readonly destroy?: boolean;
  /** Highest impact that is done here whatever is approved; the rest is for the command line. */
  readonly most?: Impact;
  readonly now: number;
}

export type Decision =
  | { readonly do: 'apply'; readonly approvedBy?: string; readonly until?: number }
  | {
      readonly do: 'wait';
      readonly reason: 'AwaitingApproval' | 'AwaitingWindow' | 'Frozen';
      readonly message: string;
      /** When it is worth another look. */
      readonly until?: number;
    }
  | {
      readonly do: 'refuse';
      readonly reason: 'PlanProblems' | 'CommandLineOnly';
      readonly message: string;
    };

export function rank(impact: Impact): number {
  return IMPACTS.indexOf(impact);
}

export function worstImpact(impacts: Iterable<Impact>): Impact {
  let worst: Impact = 'none';
  for (const impact of impacts) if (rank(impact) > rank(worst)) worst = impact;
  return worst;
}

export function decide(question: Question): Decision {
  const { policy, impact, problem, now } = question;
  if (problem !== undefined) return { do: 'refuse', reason: 'PlanProblems', message: problem };
  const most = question.destroy === true ? 'remove' : (question.most ?? 'replace');
  if (rank(impact) > rank(most)) return forCommandLine(impact, most);
  if (policy.freezeUntil !== undefined && now < policy.freezeUntil) {
    const until = policy.freezeUntil;
    return {
      do: 'wait',
      reason: 'Frozen',
      message: `changes are frozen until ${new Date(until).toISOString()}`,
      until,
    };
  }
  const allowed = allowedBy(question);
  if (!allowed) return awaitApproval(question);
  const window = isTimed(impact) ? inWindow(policy, now) : {};
  if ('do' in window) return window;
  return { do: 'apply', ...(allowed.by !== undefined && { approvedBy: allowed.by }), ...window };
}

/** Whoever says yes; without a name: the policy itself. */
function allowedBy(question: Question): { readonly by?: string } | undefined {
  const { policy, impact, outage, approval, continues, destroy, now } = question;
  if (continues) return continues;
  if (approval && now < approval.expires) return { by: approval.by };
  if (destroy === true || outage || policy.auto === 'none') return undefined;
  return rank(impact) <= rank(policy.auto) ? {} : undefined;
}

/** What nodes or components notice waits for a window. */
function isTimed(impact: Impact): boolean {
  return rank(impact) >= rank('component');
}

function inWindow({ windows }: FleetPolicy, now: number): Decision | { readonly until?: number } {
  if (windows.length === 0) return {};
  const open = openWindow(windows, now);
  if (open) return { until: open.until };
  const next = nextWindow(windows, now);
  const when = next
    ? `the next window opens at ${new Date(next.from).toISOString()}`
    : 'no window ever opens';
  return {
    do: 'wait',
    reason: 'AwaitingWindow',
    message: `outside of the maintenance windows; ${when}`,
    ...(next && { until: next.from }),
  };
}

function awaitApproval({ policy, impact, outage, approval, now, destroy }: Question): Decision {
  const why = destroy
    ? 'destroying the cluster needs an approval'
    : outage
      ? 'the Kubernetes API will be unavailable while it is applied, which needs an approval'
      : `impact ${impact} needs an approval (policy.auto is ${policy.auto})`;
  const expired = approval && now >= approval.expires ? `; the approval by ${approval.by} has expired` : '';
  return { do: 'wait', reason: 'AwaitingApproval', message: `${why}${expired}` };
}

function forCommandLine(impact: Impact, most: Impact): Decision {
  return {
    do: 'refuse',
    reason: 'CommandLineOnly',
    message: `the plan has steps with impact ${impact}; the controller applies ${most} at most. Review it and run \`oxherd apply\` from the command line`,
  };
}

/** Whether a node whose worst downtime is this long may be begun before the window closes. */
export function fitsWindow(until: number | undefined, now: number, worstSeconds: number): boolean {
  return until === undefined || now + worstSeconds * 1_000 <= until;
}
