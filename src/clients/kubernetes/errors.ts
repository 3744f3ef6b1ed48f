import { isMapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';

export type KubernetesErrorCode =
  | 'kubernetes.unreachable'
  | 'kubernetes.untrusted'
  | 'kubernetes.unauthorized'
  | 'kubernetes.forbidden'
  | 'kubernetes.not-found'
  | 'kubernetes.already-exists'
  | 'kubernetes.conflict'
  | 'kubernetes.field-conflict'
  | 'kubernetes.invalid'
  | 'kubernetes.disruption-budget'
  | 'kubernetes.busy'
  | 'kubernetes.expired'
  | 'kubernetes.timeout'
  | 'kubernetes.failed';

/** One of the reasons behind an answer: a field, its owner, a disruption budget. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** What the API server said of a request it did not carry out. */
export interface KubernetesStatus {
  readonly httpStatus: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

const ADVICE: Partial<Record<KubernetesErrorCode, string>> = {
  'kubernetes.unreachable':
    'No control plane answers: look whether their machines run and etcd has quorum (`oxherd status`), then try again.',
  'kubernetes.untrusted':
    'The certificate is not from this cluster’s CA: another cluster has this address, or the secrets are not the cluster’s.',
  'kubernetes.unauthorized':
    'The cluster does not accept the client certificate: it runs with other secrets, or the computers’ clocks differ.',
  'kubernetes.forbidden': 'The certificate’s groups do not allow this; one of system:masters does.',
  'kubernetes.conflict': 'The object was changed in the meantime: read it again and repeat.',
  'kubernetes.field-conflict':
    'Another manager owns these fields: remove them from one of the two, or apply with force.',
  'kubernetes.invalid': 'The API refuses the object: correct the named fields and apply again.',
  'kubernetes.disruption-budget':
    'A PodDisruptionBudget allows no eviction now: wait until more pods are ready, or change the budget.',
  'kubernetes.failed': 'Message from the API server; see `oxherd status`, then try again.',
  'kubernetes.busy': 'The API server asks to come back later.',
  'kubernetes.timeout': 'It took longer than allowed: look at the object’s events and conditions.',
};

export class KubernetesError extends OxherdError {
  override readonly name: string = 'KubernetesError';

  constructor(
    override readonly code: KubernetesErrorCode,
    message: string,
    details: { where?: string; cause?: unknown; status?: KubernetesStatus; advice?: string } = {},
  ) {
    const advice = details.advice ?? ADVICE[code];
    super(code, message, {
      ...(advice === undefined ? {} : { advice }),
      ...(details.where === undefined ? {} : { where: details.where }),
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
    this.status = details.status;
  }

  readonly status: KubernetesStatus | undefined;
}

export function isKubernetesError(error: unknown, ...codes: KubernetesErrorCode[]): error is KubernetesError {
  return error instanceof KubernetesError && (codes.length === 0 || codes.includes(error.code));
}

/** An answer that is no success, as an error with the server's own words. */
export function errorFromAnswer(
  httpStatus: number,
  body: unknown,
  where: string,
  what: string,
): KubernetesError {
  const status = readStatus(httpStatus, body);
  return new KubernetesError(codeOf(status), `${what}: ${status.message}`, { where, status });
}

export function readStatus(httpStatus: number, body: unknown): KubernetesStatus {
  const given = isMapping(body) && body.kind === 'Status' ? body : {};
  const details = isMapping(given.details) ? given.details : {};
  const causes = Array.isArray(details.causes) ? details.causes.filter(isMapping) : [];
  return {
    httpStatus,
    reason: text(given.reason),
    message: text(given.message) || (typeof body === 'string' ? body.trim() : '') || `HTTP ${httpStatus}`,
    causes: causes.map((cause) => ({
      reason: text(cause.reason),
      message: text(cause.message),
      ...(typeof cause.field === 'string' ? { field: cause.field } : {}),
    })),
    ...(typeof details.retryAfterSeconds === 'number'
      ? { retryAfterSeconds: details.retryAfterSeconds }
      : {}),
  };
}

function codeOf({ httpStatus, reason, causes }: KubernetesStatus): KubernetesErrorCode {
  switch (httpStatus) {
    case 401:
      return 'kubernetes.unauthorized';
    case 403:
      return 'kubernetes.forbidden';
    case 404:
      return 'kubernetes.not-found';
    case 409:
      if (reason === 'AlreadyExists') return 'kubernetes.already-exists';
      return causes.some((cause) => cause.reason === 'FieldManagerConflict')
        ? 'kubernetes.field-conflict'
        : 'kubernetes.conflict';
    case 400:
    case 415:
    case 422:
      return 'kubernetes.invalid';
    case 410:
      return 'kubernetes.expired';
    case 429:
      return causes.some((cause) => cause.reason === 'DisruptionBudget')
        ? 'kubernetes.disruption-budget'
        : 'kubernetes.busy';
    case 503:
      return 'kubernetes.busy';
    default:
      return 'kubernetes.failed';
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
