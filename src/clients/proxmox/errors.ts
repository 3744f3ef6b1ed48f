import { OxherdError } from '../../model/error.js';

export type ProxmoxErrorCode =
  /** No endpoint could be connected to: nothing was sent. */
  | 'proxmox.unreachable'
  | 'proxmox.certificate'
  /** The connection broke after the request may have been sent. */
  | 'proxmox.dropped'
  | 'proxmox.timeout'
  | 'proxmox.token-format'
  /** pveproxy lost the user of this request to another one that ended meanwhile: nothing was begun. */
  | 'proxmox.user-lost'
  | 'proxmox.unauthorized'
  | 'proxmox.forbidden'
  | 'proxmox.parameter'
  | 'proxmox.no-quorum'
  /** The API answers, but the host that the request is for does not. */
  | 'proxmox.host-down'
  | 'proxmox.unknown-host'
  | 'proxmox.lock-timeout'
  | 'proxmox.locked'
  | 'proxmox.digest'
  | 'proxmox.protected'
  /** HA has given up on the VM and takes no request for it. */
  | 'proxmox.ha-error'
  | 'proxmox.exists'
  | 'proxmox.not-found'
  | 'proxmox.storage-full'
  | 'proxmox.not-implemented'
  /** Any other refusal; the message is Proxmox's own. */
  | 'proxmox.failed'
  | 'proxmox.task-failed'
  | 'proxmox.task-timeout'
  /** The answer is not what the API promises. */
  | 'proxmox.answer';

export interface ProxmoxErrorFacts {
  readonly advice?: string;
  /** `POST /nodes/pve1/qemu at https://pve1:8006` */
  readonly where?: string;
  readonly cause?: unknown;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** The `errors` map of a 400: parameter → what is wrong with it. */
  readonly errors?: Readonly<Record<string, string>>;
  /** What a 403 says is missing; one of the privileges is enough where there are several. */
  readonly permission?: { readonly path: string; readonly privileges: readonly string[] };
  /** False only where the request cannot have had an effect. */
  readonly mayHaveHappened?: boolean;
  readonly task?: {
    readonly upid: string;
    /** What the same text would have been called in an HTTP answer. */
    readonly reason: ProxmoxErrorCode;
    readonly logTail: readonly string[];
  };
}

/** Everything that goes wrong between us and Proxmox. The token is never part of it. */
export class ProxmoxError extends OxherdError {
  override readonly name = 'ProxmoxError';

  constructor(
    override readonly code: ProxmoxErrorCode,
    message: string,
    readonly facts: ProxmoxErrorFacts = {},
  ) {
    super(code, message, {
      ...(facts.advice === undefined ? {} : { advice: facts.advice }),
      ...(facts.where === undefined ? {} : { where: facts.where }),
      ...(facts.cause === undefined ? {} : { cause: facts.cause }),
    });
  }

  get status(): number | undefined {
    return this.facts.status;
  }

  get errors(): Readonly<Record<string, string>> {
    return this.facts.errors ?? {};
  }

  get permission(): ProxmoxErrorFacts['permission'] {
    return this.facts.permission;
  }

  /** Whether the request may have been carried out although it failed for us. */
  get mayHaveHappened(): boolean {
    return this.facts.mayHaveHappened ?? false;
  }

  get task(): ProxmoxErrorFacts['task'] {
    return this.facts.task;
  }

  /** True for this code, and for a task that failed for this reason. */
  is(code: ProxmoxErrorCode): boolean {
    return this.code === code || this.facts.task?.reason === code;
  }
}

export function isProxmoxError(value: unknown, code?: ProxmoxErrorCode): value is ProxmoxError {
  return value instanceof ProxmoxError && (code === undefined || value.is(code));
}
