/** What a refusal of Proxmox means. The texts are those of the recorded exchanges and of the sources named here. */

import { grantCommands, grantsFor } from '../../formats/proxmox/grant.js';
import { haErrorAdvice, STATE_AS_BEFORE } from '../../formats/proxmox/ha-state.js';
import type { ProxmoxErrorCode } from './errors.js';
import { ProxmoxError } from './errors.js';

interface Refusal {
  readonly status: number;
  /** The body's message, or the reason phrase where the body is empty (401, 59x). */
  readonly message: string;
  readonly errors?: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly endpoint: string;
  /** `user@realm!id`, without the secret. */
  readonly tokenId: string;
}

/** Most refusals are a 500 and differ by their text alone; tasks end with the same texts and no status at all. */
const TEXTS: readonly (readonly [RegExp, ProxmoxErrorCode])[] = [
  // PVE::AbstractConfig, PVE::Tools::lock_file, PVE::Cluster::cfs_lock: had no lock, so changed nothing.
  [/can't lock file .* - got timeout/, 'proxmox.lock-timeout'],
  [/cfs-lock '.*' error: got lock request timeout/, 'proxmox.lock-timeout'],
  // PVE::RESTEnvironment: the worker waits for its parent's word before it begins, and never had it.
  [/got no worker upid - start worker failed/, 'proxmox.lock-timeout'],
  // pveproxy with several larger bodies at a time; facts measured on pve-manager 9.2.
  [/^user name not set/, 'proxmox.user-lost'],
  [/no quorum[?!]/, 'proxmox.no-quorum'],
  // /etc/pve is read-only without quorum (recording no-quorum).
  [/unable to open file '\/etc\/pve\/.*' - Permission denied/, 'proxmox.no-quorum'],
  [/VM is locked \(/, 'proxmox.locked'],
  [/checksum mismatch \(file change by other user\?\)/, 'proxmox.digest'],
  [/detected modified configuration/, 'proxmox.digest'],
  [/protection mode enabled/, 'proxmox.protected'],
  // PVE::API2::HA::Resources, recording `ha-live`.
  [/in error state, must be disabled and fixed first/, 'proxmox.ha-error'],
  [/hostname lookup '.*' failed/, 'proxmox.unknown-host'],
  [/out of space|No space left on device|not enough space|insufficient space/i, 'proxmox.storage-full'],
  [/already exists|already defined|refusing to override existing file/, 'proxmox.exists'],
  [/does not exist|no such |No such file|unable to find configuration file|not found/, 'proxmox.not-found'],
];

export function codeOfText(text: string): ProxmoxErrorCode {
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'proxmox.failed';
}

function codeOf(refusal: Refusal): ProxmoxErrorCode {
  switch (refusal.status) {
    case 400:
      return 'proxmox.parameter';
    case 401:
      return 'proxmox.unauthorized';
    case 403:
      return 'proxmox.forbidden';
    case 501:
      return 'proxmox.not-implemented';
    // AnyEvent::HTTP, from the host that should have passed the request on.
    case 595:
    case 596:
    case 597:
    case 599:
      return 'proxmox.host-down';
    default:
      return codeOfText(refusal.message);
  }
}

export function refused(refusal: Refusal, asked: Asked): ProxmoxError {
  const code = codeOf(refusal);
  const permission = code === 'proxmox.forbidden' ? parsePermission(refusal.message) : undefined;
  const advice = adviceFor(code, asked, permission);
  return new ProxmoxError(code, describe(code, refusal, asked), {
    where: `${asked.method} ${asked.path} at ${asked.endpoint}`,
    status: refusal.status,
    ...(refusal.errors ? { errors: cleanErrors(refusal.errors) } : {}),
    ...(permission ? { permission } : {}),
    ...(advice === undefined ? {} : { advice }),
    // 595: the connection to the host was never made; a refusal is an answer, so nothing is in doubt.
    mayHaveHappened: code === 'proxmox.host-down' && refusal.status !== 595,
  });
}

/** `Permission check failed (/vms/301, VM.Audit)`; several alternatives are joined by `|`. */
export function parsePermission(message: string): { path: string; privileges: string[] } | undefined {
  const match = /Permission check failed \(([^,()]*), ([A-Za-z.|, ]+)\)/.exec(message);
  if (!match) return undefined;
  return { path: match[1] || '/', privileges: (match[2] ?? '').split(/[|,]\s*/).filter(Boolean) };
}

function describe(code: ProxmoxErrorCode, refusal: Refusal, asked: Asked): string {
  const text = refusal.message.trim();
  if (code === 'proxmox.parameter' && refusal.errors) {
    const parts = Object.entries(cleanErrors(refusal.errors)).map(([name, what]) => `${name}: ${what}`);
    return `Proxmox refuses ${asked.method} ${asked.path}: ${parts.join('; ')}`;
  }
  if (code === 'proxmox.unauthorized') return `Proxmox does not accept the token ${asked.tokenId}: ${text}`;
  if (code === 'proxmox.host-down') {
    const host = /^\/nodes\/([^/]+)/.exec(asked.path)?.[1];
    return `${host ? `Host ${decodeURIComponent(host)}` : 'The host'} does not answer: ${refusal.status} ${text}`.trim();
  }
  return text || `${asked.method} ${asked.path} failed with status ${refusal.status}`;
}

function cleanErrors(errors: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, text.trim()]));
}

function adviceFor(
  code: ProxmoxErrorCode,
  asked: Asked,
  permission: { path: string; privileges: string[] } | undefined,
): string | undefined {
  if (code === 'proxmox.forbidden' && permission) {
    // Any of several is enough: the first will do.
    const [privilege = ''] = permission.privileges;
    const commands = grantsFor([{ path: permission.path, privilege }]).flatMap((grant) =>
      grantCommands(grant, asked.tokenId),
    );
    return `Grant it on a Proxmox host:\n${commands.join('\n')}`;
  }
  return ADVICE[code];
}

const ADVICE: Partial<Record<ProxmoxErrorCode, string>> = {
  'proxmox.unauthorized':
    'Check the token (user@realm!id=secret): it may be mistyped, expired or deleted, or its user disabled. `pveum user token list USER` shows what exists.',
  'proxmox.user-lost': 'Proxmox lost track of the request among others and did nothing. Run again.',
  'proxmox.forbidden': 'The token may not do this; `oxherd doctor` lists the privileges it lacks.',
  'proxmox.no-quorum':
    'The Proxmox cluster has lost its quorum and refuses changes. Bring its other hosts back (`pvecm status`), then run again.',
  'proxmox.host-down':
    'Check that the host is up and reachable from the others (`pvecm status`), then run again.',
  'proxmox.unknown-host': 'The Proxmox cluster has no host of that name; compare with `pvecm nodes`.',
  'proxmox.lock-timeout': 'Another operation holds the lock. See the running tasks, then run again.',
  'proxmox.locked':
    'Wait for the operation that holds the lock (backup, snapshot, migration). If no task of the VM runs any more: `qm unlock VMID` on the host; a suspended VM is resumed with `qm start VMID`, which keeps its memory.',
  'proxmox.digest': 'It was changed at the same moment. Run again: the new state is read first.',
  'proxmox.protected': 'The VM is protected against removal (`protection: 1`).',
  'proxmox.ha-error': `HA has given up on this VM: ${haErrorAdvice('VMID', STATE_AS_BEFORE)}. Then run again.`,
  'proxmox.failed':
    'Message from Proxmox; see the host log (`journalctl -u pvedaemon -u pveproxy`). Then run again.',
  'proxmox.storage-full': 'Free space on the storage or choose another one.',
  'proxmox.not-implemented': 'This Proxmox VE does not know the call; oxherd supports 9.x.',
};
