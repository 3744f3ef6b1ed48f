import { Code, ConnectError, createContextKey } from '@connectrpc/connect';
import type { Lifecycle } from '../machine/lifecycle.js';
import type { Machine } from '../machine/machine.js';
import type { ResourceState } from '../state/resource-state.js';

/** The machine a call is for, after routing. */
export const targetKey = createContextKey<Endpoint | undefined>(undefined);
/** Roles of the caller: the certificate's O values, or what maintenance mode gives everybody. */
export const rolesKey = createContextKey<ReadonlySet<string>>(new Set());

/** One machine as its API sees it. */
export interface Endpoint {
  readonly machine: Machine;
  readonly lifecycle: Lifecycle;
  readonly state: ResourceState;
  /** Guards what may run once at a time. */
  readonly busy: Set<string>;
  /** A snapshot of etcd that waits for the bootstrap to begin from. */
  received?: Buffer;
}

export function fail(code: Code, message: string): never {
  throw new ConnectError(message, code);
}

export function notAuthorized(): never {
  fail(Code.PermissionDenied, 'not authorized');
}

/** Calls that only control planes have; each says its own name (machinehelper.CheckControlplane). */
export function requireControlPlane(machine: Machine, api: string): void {
  if (!machine.isControlPlane) fail(Code.Unimplemented, `${api} is only available on control plane nodes`);
}
