/** What every part of the planner is given, and where it puts what it finds. */
import type { Design } from '../design/design.js';
import type { Observed } from '../observe/observed.js';
import type { Note, Problem } from './plan.js';
import type { StepList } from './step-list.js';

export interface PlanContext {
  readonly design: Design;
  readonly observed: Observed;
  readonly list: StepList;
  readonly problems: Problem[];
  readonly notes: Note[];
}

/** Whether our token holds a privilege on a path that Proxmox listed; unknown rights count as held: the API will tell. */
export function mayDo(observed: Observed, path: string, privilege: string): boolean {
  if (!observed.permissions.known) return true;
  const rights = observed.permissions.value;
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/')) || '/') {
    const privileges = rights[at];
    if (privileges) return privileges.includes(privilege);
    if (at === '/') return false;
  }
}
