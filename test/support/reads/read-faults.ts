/** Ways in which one read of an observation fails. */

import { KubernetesError } from '../../../src/clients/kubernetes/errors.js';
import { ProxmoxError } from '../../../src/clients/proxmox/errors.js';
import { makeTalosError } from '../../../src/clients/talos/errors.js';
import type { ReadCall } from '../remembered-reads.js';

export interface ReadFault {
  /** `proxmox.vmPending(["pve1",151]): 403` */
  readonly name: string;
  readonly answer: () => unknown;
}

/** Connections, discovery of the client and values that were read before: none of them asks anything. */
const NO_READS = /\.(close|behind|tokenId|endpoints|trust)$/;

export function isRead({ name }: Pick<ReadCall, 'name'>): boolean {
  return !NO_READS.test(name);
}

/** A refusal and a silence; a call that has only a yes or no as its answer has only the silence. */
export function faultsOf({ name, args, key }: ReadCall): ReadFault[] {
  const silent = SILENT.find(([pattern]) => pattern.test(name));
  if (silent) return [{ name: `${key}: no answer`, answer: () => Promise.resolve(silent[1]) }];
  return errorsOf(name, args).map(([word, error]) => ({
    name: `${key}: ${word}`,
    answer: () => Promise.reject(error),
  }));
}

const SILENT: readonly (readonly [RegExp, unknown])[] = [
  [/^talos\.probe$/, 'absent'],
  [/^kubernetes\.ready$/, false],
  [/^kubernetes\.servingUntil$/, undefined],
];

function errorsOf(name: string, args: readonly unknown[]): (readonly [string, Error])[] {
  if (name.startsWith('proxmox.')) {
    const forbidden = new ProxmoxError('proxmox.forbidden', 'Permission check failed', { status: 403 });
    const isOfHost = typeof args[0] === 'string' && /^pve\d$/.test(args[0]);
    return [
      ['403', forbidden],
      isOfHost
        ? [
            '595',
            new ProxmoxError('proxmox.host-down', `${String(args[0])} does not answer`, { status: 595 }),
          ]
        : ['no answer', new ProxmoxError('proxmox.timeout', 'no answer in time')],
    ];
  }
  if (name.startsWith('talos.'))
    return [
      ['refused', makeTalosError('talos.forbidden', 'not authorized', name)],
      ['no answer', makeTalosError('talos.unreachable', 'connection refused', name)],
    ];
  return [
    ['403', new KubernetesError('kubernetes.forbidden', 'forbidden')],
    ['no answer', new KubernetesError('kubernetes.unreachable', 'no API server answers')],
  ];
}
