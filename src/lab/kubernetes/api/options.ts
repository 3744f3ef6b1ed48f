import { objOf, textOf } from '../json.js';
import { badRequest, invalid, unsupportedValue } from '../status.js';

/** How a write is to be done: the query of the request. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly validation: 'Strict' | 'Warn' | 'Ignore';
  readonly force: boolean;
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

/** The manager of a client that gives no name is the first word of its User-Agent. */
export function writeOptions(
  query: URLSearchParams,
  userAgent: string,
  user?: Writer,
  warnings: string[] = [],
): WriteOptions {
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore') {
    throw invalid('meta.k8s.io', 'PatchOptions', '', [
      unsupportedValue('fieldValidation', validation, ['Ignore', 'Warn', 'Strict']),
    ]);
  }
  return {
    dryRun: query.get('dryRun') === 'All',
    manager: query.get('fieldManager') || userAgent.split('/')[0] || 'unknown',
    validation,
    force: query.get('force') === 'true',
    ...(user ? { user } : {}),
    warnings,
  };
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
  const given = objOf(body);
  const preconditions = objOf(given.preconditions);
  const grace = given.gracePeriodSeconds ?? query.get('gracePeriodSeconds') ?? undefined;
  if (grace !== undefined && !/^-?\d+$/.test(String(grace))) {
    throw badRequest(`strconv.ParseInt: parsing "${String(grace)}": invalid syntax`);
  }
  const policy = given.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  return {
    dryRun: query.get('dryRun') === 'All' || (Array.isArray(given.dryRun) && given.dryRun.includes('All')),
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    propagationPolicy: policyOf(policy),
    uid: textOf(preconditions.uid) || undefined,
    resourceVersion: textOf(preconditions.resourceVersion) || undefined,
  };
}

function policyOf(policy: unknown): DeleteOptions['propagationPolicy'] {
  if (policy === undefined) return undefined;
  if (policy === 'Foreground' || policy === 'Background' || policy === 'Orphan') return policy;
  throw invalid('meta.k8s.io', 'DeleteOptions', '', [
    unsupportedValue('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']),
  ]);
}
