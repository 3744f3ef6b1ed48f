import { listOf, type Obj, objOf, stringsOf } from '../json.js';
import { BASELINE } from './baseline-checks.js';
import type { Check, Violation } from './pod-subject.js';
import { RESTRICTED } from './restricted-checks.js';

/** The newest version that has rules of its own. */
export const NEWEST_RULES = 37;

/** What of a pod does not fit `baseline`, or with `restricted` that level, by the rules of a minor version. */
export function violations(metadata: Obj, spec: Obj, restricted: boolean, minor: number): Violation[] {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    listOf(spec[list]).map(objOf),
  );
  const subject = { spec, annotations: stringsOf(metadata.annotations), containers, minor };
  const held = (checks: readonly Check[]) => checks.filter(({ since = 0 }) => since <= minor);
  const strict = restricted ? held(RESTRICTED) : [];
  const replaced = strict.flatMap(({ instead = [] }) => instead);
  const checks = [...held(BASELINE).filter(({ id }) => !replaced.includes(id)), ...strict];
  return checks.map((check) => check.find(subject)).filter((found) => found !== undefined);
}
