import { grantCommands, grantsFor } from '../../formats/proxmox/grant.js';
import { OxherdError } from '../../model/error.js';
import { describeHolder, type Holder } from './holder.js';

export class LockError extends OxherdError {
  override readonly name = 'LockError';
}

export function heldBy(pool: string, holder: Holder, as: 'holder' | 'claimant'): LockError {
  const who = describeHolder(holder);
  return new LockError(
    'lock.held',
    as === 'holder' ? `cluster is locked by ${who}` : `the cluster lock is being taken over by ${who}`,
    { where: `pool ${pool}`, advice: 'wait for it to end; if that run is dead: oxherd unlock' },
  );
}

export function lostTo(pool: string, holder: Holder | undefined): LockError {
  return new LockError(
    'lock.lost',
    holder
      ? `lost the cluster lock: held by ${describeHolder(holder)}`
      : 'lost the cluster lock: another run or `unlock` removed it',
    {
      where: `pool ${pool}`,
      advice: 'nothing was written after that; see who runs oxherd on this cluster, then run it again',
    },
  );
}

export function notPermitted(missing: readonly string[], tokenId: string): LockError {
  const commands = grantsFor(missing.map((privilege) => ({ path: '/pool', privilege }))).flatMap((grant) =>
    grantCommands(grant, tokenId),
  );
  return new LockError(
    'lock.not-permitted',
    `the API token cannot ${missing.includes('Pool.Allocate') ? 'create' : 'see'} the pool that serves as the cluster lock: missing ${missing.join(' and ')} on /pool`,
    { where: 'ACL on /pool', advice: `Grant it on a Proxmox host:\n${commands.join('\n')}` },
  );
}

export function tooSlow(pool: string, ageMs: number): LockError {
  return new LockError(
    'lock.unconfirmed',
    `Proxmox took ${Math.round(ageMs / 1_000)} s to answer who holds the cluster lock; a write needs an answer within 5 s`,
    { where: `pool ${pool}`, advice: 'check the load of the host and the network, then run it again' },
  );
}
