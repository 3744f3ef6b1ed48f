import { at, listOf, type Obj, objOf, textOf } from '../json.js';

/** Why a pod does not fit a level: what is wrong, and where (`pod-security-admission/policy`). */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export interface Subject {
  readonly spec: Obj;
  readonly annotations: Readonly<Record<string, string>>;
  readonly containers: readonly Obj[];
  /** The minor version whose rules hold. */
  readonly minor: number;
}

export interface Check {
  readonly id: string;
  readonly restricted?: boolean;
  readonly since?: number;
  /** Baseline checks that it stands for. */
  readonly instead?: readonly string[];
  find(subject: Subject): Violation | undefined;
}

export const plural = (word: string, count: number) => (count === 1 ? word : `${word}s`);
export const quoted = (items: readonly string[]) => `"${items.join('", "')}"`;
export const sorted = (items: Iterable<string>) => [...new Set(items)].sort();
export const contextOf = (of: Obj) => objOf(of.securityContext);
export const nameOf = (container: Obj) => textOf(container.name);
export const theseContainers = (found: readonly Obj[]) =>
  `${plural('container', found.length)} ${quoted(found.map(nameOf))}`;
export const isWindows = ({ spec, minor }: Subject) => minor >= 25 && at(spec, 'os', 'name') === 'windows';
export const hasOwnUsers = ({ spec, minor }: Subject) => minor >= 35 && spec.hostUsers === false;

/** The pod and the containers whose security context is bad. */
export function setters({ spec, containers }: Subject, isBad: (context: Obj) => boolean): string {
  const bad = containers.filter((container) => isBad(contextOf(container)));
  const parts = isBad(contextOf(spec)) ? ['pod'] : [];
  if (bad.length > 0) parts.push(theseContainers(bad));
  return parts.join(' and ');
}

export const capabilities = (container: Obj, list: string) =>
  listOf(objOf(contextOf(container).capabilities)[list]).map(textOf);
