/** How an endpoint of the Proxmox simulator is written: one typed handler per method and path. */
import type { LabCore, MachineRoom } from '../lab.js';
import type { PveDb } from './db.js';

/** Everything a handler may use. */
export interface Pve {
  readonly core: LabCore;
  /** The host whose view of the cluster counts: the one that a request was sent to. */
  readonly at?: string;
  readonly db: PveDb;
  readonly tasks: Tasks;
  /** The guests; a lab without Talos has machines that do nothing. */
  readonly machines: MachineRoom | undefined;
  readonly access: AccessControl;
  /** SHA-256 of a host's certificate, `AB:CD:…`. */
  fingerprint(host: string): string;
  /** Address of the lab's own factory as seen by `download-url`; other URLs are fetched if they are on loopback. */
  fetchUrl(url: string, options: { verify: boolean }): Promise<FetchedFile>;
}

export interface FetchedFile {
  status: number;
  reason: string;
  size: number;
  contentType: string;
  sha256: string;
  /** Bytes of small files (fixtures); images of the lab's factory are described instead. */
  body?: Uint8Array;
  image?: { schematic: string; version: string; arch: string; format: string; virtualSize: number };
}

/** Users, their rights and their proofs. */
export interface AccessControl {
  /** `id` is `user@realm` or `user@realm!token`. */
  principal(id: string): Principal;
  /** Privileges on an ACL path, each with whether it goes on below the path. */
  privileges(id: string, path: string): ReadonlyMap<string, boolean>;
  newTicket(user: string): { ticket: string; csrf: string };
  /** Whether the text is a valid ticket of this user. */
  isTicketOf(user: string, ticket: string): boolean;
}

/** Who is asking. */
export interface Principal {
  /** `root@pam`, `root@pam!lab`; empty: no one has logged in. */
  readonly id: string;
  /** `root@pam`, `prov@pve` */
  readonly user: string;
  /** The token's id where one was used: a root token is not root. */
  readonly token?: string;
  /** True only for a ticket login of root@pam. */
  readonly isRoot: boolean;
  /** Privileges on an ACL path, privilege separation applied. */
  privileges(path: string): ReadonlySet<string>;
}

export interface Call {
  readonly pve: Pve;
  readonly who: Principal;
  /** Path variables and parameters after the schema's checks: integers and booleans (0/1) are numbers, the rest text. */
  readonly params: Readonly<Record<string, string | number>>;
  /** The same as they came: `02` is not 2 here; `undefined`: the key came without a value. */
  readonly sent: Readonly<Record<string, string | undefined>>;
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  flag(name: string): boolean;
  /** Parameters that are arrays. */
  list(name: string): readonly string[];
  /** The host whose API was asked; `node` may name another one. */
  readonly host: string;
  /** Sets `total` beside `data`. */
  total(count: number): void;
  /** Sets another field beside `data`. */
  beside(name: string, value: string): void;
  /** 403 `Permission check failed (/vms/301, VM.Audit)` unless held; several: any of them if `any`. */
  require(path: string, privileges: readonly string[], options?: { any?: boolean }): void;
  allows(path: string, privileges: readonly string[], options?: { any?: boolean }): boolean;
}

/** What a handler gives back: the `data` of the answer. */
type Handler = (call: Call) => unknown | Promise<unknown>;

/** Keyed `METHOD /path/{with}/{variables}` as in the API schema. */
export type Handlers = Readonly<Record<string, Handler>>;

/** An HTTP answer that is not 200: the message is both the reason phrase and the body's `message`. */
export class PveError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** For 400 `Parameter verification failed.` */
    readonly errors?: Readonly<Record<string, string>>,
  ) {
    super(message);
  }

  static parameter(errors: Readonly<Record<string, string>>): PveError {
    return new PveError(400, 'Parameter verification failed.', errors);
  }
}

/**
 * Work that outlives its request. What it does is data (`type`, `args`) and happens in one go when its time has come,
 * so a lab that was killed goes on where it was; what must be visible meanwhile (a `lock`) is written before `start`.
 */
export interface Tasks {
  /**
   * Declares what a kind of task does. It throws to fail; lines it logs become the task's log.
   * Work that waits for someone else (a guest asked to shut down) gives back `again`: it is called once more, with
   * the same arguments, after so many lab milliseconds, and the task goes on running meanwhile.
   * `undo` takes back what was written before `start` where the work was not finished (a fault, a stopped task); a text
   * it gives back is what a stopped task ends with.
   */
  define<T>(
    type: string,
    work: (args: T, task: TaskContext) => TaskAgain | undefined,
    undo?: (args: T) => string | undefined,
  ): void;
  /** Returns the UPID. `duration` in lab milliseconds. */
  start<T>(
    call: { who: Principal } | { user: string },
    task: { node: string; type: string; id: string; args: T; duration: number },
  ): string;
  /** Ends a task that runs; nothing happens to one that has ended. */
  stop(upid: string): void;
}

export interface TaskAgain {
  readonly again: number;
  /** How far it has come: what the next call is given in place of its arguments. */
  readonly args?: unknown;
}

export interface TaskContext {
  readonly upid: string;
  log(line: string): void;
  /** Ends the task as `WARNINGS: n`. */
  warn(line: string): void;
}
