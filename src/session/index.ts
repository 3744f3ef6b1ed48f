/**
 * The session: connects a config with a target, gathers, plans, carries out and keeps the journal. It may touch everything
 * below it (clients, observe, plan, apply, secrets, lab) and no terminal: front ends show and ask.
 */
export { readConfigFile } from './config/config-file.js';
export type { LoadedConfig } from './connect/site.js';
export type { LabTarget, Place, SessionMessage, Target } from './context.js';
export type { Check } from './doctor/check.js';
export type { ApplyOptions, ApplyResult } from './execute/apply-plan.js';
export type { RunReport } from './execute/carry-out.js';
export type { HeldLock } from './execute/held-lock.js';
export type { Run } from './execute/run.js';
export { type Gathered, openSession, type Session, type SessionOptions } from './session.js';
export type { TakenSnapshot } from './snapshots/etcd-snapshots.js';
