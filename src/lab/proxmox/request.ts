/** Small readings of a call that most handlers need. */
import { type Call, PveError } from './api.js';

export function nodeOf(call: Call): string {
  return call.text('node') ?? '';
}

export function vmidOf(call: Call): number {
  return call.number('vmid') ?? 0;
}

/** As tasks and Proxmox's own checks name the caller: a token is not its user. */
export function callerOf(call: Call): string {
  return call.who.token === undefined ? call.who.user : `${call.who.user}!${call.who.token}`;
}

/** Options that only root@pam with a ticket may use, such as `skiplock`. */
export function rootOnly(call: Call, ...names: string[]): void {
  for (const name of names) {
    const value = call.params[name];
    if (value !== undefined && value !== 0 && value !== '' && !call.who.isRoot) {
      throw PveError.parameter({ [name]: 'Only root may use this option.' });
    }
  }
}
