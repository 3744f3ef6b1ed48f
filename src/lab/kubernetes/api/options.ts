import { listOf, type Obj, objOf } from '../json.js';
import {
  badRequest,
  type FieldError,
  forbiddenValue,
  invalid,
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
} from '../status.js';

/** How a write is to be done: the query of the request. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly validation: 'Strict' | 'Warn' | 'Ignore';
  readonly force: boolean;
  /** Fields that the body names twice. */
  readonly duplicates?: readonly string[];
  /** Who writes; the lab itself where nothing is said. */
  readonly user?: Writer;
  /** Texts for `Warning:` headers; the write adds to it. */
  readonly warnings: string[];
}

interface Writer {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
}

/** A write by the lab itself. */
export function internalWrite(manager: string): WriteOptions {
  return { dryRun: false, manager, validation: 'Ignore', force: true, warnings: [] };
}

/** What a method's options are called in a refusal. */
const OPTIONS: Readonly<Record<string, string>> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
};
const MANAGER_LIMIT = 128;

interface Asked {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly userAgent: string;
  readonly user?: Writer;
  readonly warnings?: string[];
  /** A server-side apply: it alone has `force`, and must name its manager. */
  readonly apply?: boolean;
}

/** The manager of a client that gives no name is the first word of its User-Agent. */
export function writeOptions({ method, query, userAgent, user, warnings, apply }: Asked): WriteOptions {
  const kind = OPTIONS[method];
  const errors = kind === undefined ? [] : optionErrors(query, kind === 'PatchOptions' ? apply : undefined);
  if (kind !== undefined && errors.length > 0) throw invalid('meta.k8s.io', kind, '', errors);
  const validation = query.get('fieldValidation');
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    manager: query.get('fieldManager') || userAgent.split('/')[0] || 'unknown',
    validation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    force: flagOf(query, 'force'),
    ...(user ? { user } : {}),
    warnings: warnings ?? [],
  };
}

/** `apimachinery/pkg/apis/meta/v1/validation`. `apply`: whether a patch is one; nothing for other writes. */
function optionErrors(query: URLSearchParams, apply: boolean | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const manager = query.get('fieldManager') ?? '';
  if (apply === false && query.has('force')) {
    errors.push(forbiddenValue('force', 'may not be specified for non-apply patch'));
  }
  if (apply === true && manager === '') {
    errors.push(requiredValue('fieldManager', 'is required for apply patch'));
  }
  if (Buffer.byteLength(manager) > MANAGER_LIMIT) errors.push(tooLong('fieldManager', MANAGER_LIMIT));
  for (const [at, letter] of [...manager].entries()) {
    if (!/[\p{C}\p{Z}]/u.test(letter) || letter === ' ') continue;
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    errors.push(invalidValue('fieldManager', manager, `invalid character U+${code} (at position ${at})`));
  }
  errors.push(...dryRunErrors(query.getAll('dryRun')));
  const validation = query.get('fieldValidation') ?? '';
  if (!VALIDATIONS.includes(validation)) {
    errors.push(unsupportedValue('fieldValidation', validation, VALIDATIONS));
  }
  return errors;
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

function dryRunErrors(given: readonly unknown[]): FieldError[] {
  return given.every((one) => one === 'All') ? [] : [unsupportedValue('dryRun', given, ['All'])];
}

/** `apimachinery/pkg/runtime/conversion.go`: whatever is not a no is a yes. */
export function flagOf(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text.toLowerCase() !== 'false' && text !== '0';
}

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** As the kind does it, its dependents after it. */
export const PLAIN_DELETE: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: 'Background',
  uid: undefined,
  resourceVersion: undefined,
};

/** From the body where there is one, else from the query. */
export function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const given: Obj = body === undefined ? fromQuery(query) : objOf(body);
  const preconditions = objOf(given.preconditions);
  const { gracePeriodSeconds: grace, propagationPolicy: policy, orphanDependents: orphan } = given;
  const dryRun = listOf(given.dryRun);
  const errors: FieldError[] = [];
  if (typeof orphan === 'boolean' && policy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalidValue('propagationPolicy', policy, detail));
  }
  if (policy !== undefined && !isPolicy(policy)) {
    errors.push(unsupportedValue('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) throw invalid('meta.k8s.io', 'DeleteOptions', '', errors);
  return {
    dryRun: dryRun.includes('All') || query.getAll('dryRun').includes('All'),
    // Less than nothing is as little as there is without force.
    gracePeriodSeconds: typeof grace === 'number' ? (grace < 0 ? 1 : grace) : undefined,
    propagationPolicy: isPolicy(policy) ? policy : orphanPolicy(orphan),
    uid: typeof preconditions.uid === 'string' ? preconditions.uid : undefined,
    resourceVersion:
      typeof preconditions.resourceVersion === 'string' ? preconditions.resourceVersion : undefined,
  };
}

function fromQuery(query: URLSearchParams): Obj {
  const policy = query.get('propagationPolicy');
  return {
    gracePeriodSeconds: wholeNumber(query, 'gracePeriodSeconds'),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(query.has('orphanDependents') ? { orphanDependents: flagOf(query, 'orphanDependents') } : {}),
    dryRun: query.getAll('dryRun'),
  };
}

/** A number of the query; what is none is refused in Go's words. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Number(text);
}

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const;

function isPolicy(policy: unknown): policy is (typeof POLICIES)[number] {
  return POLICIES.some((one) => one === policy);
}

/** The older word for the same. */
function orphanPolicy(orphan: unknown): DeleteOptions['propagationPolicy'] {
  if (typeof orphan !== 'boolean') return undefined;
  return orphan ? 'Orphan' : 'Background';
}
