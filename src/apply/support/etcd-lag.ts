/** Whether an etcd member that was away has what the others agreed on meanwhile. */
import type { TalosEtcd } from '../../clients/talos/etcd.js';
import { attempt } from '../../observe/attempt.js';

/** `undefined`: it has, or there is no one to compare it with. */
export async function etcdLag(
  etcdAt: (ip: string) => Pick<TalosEtcd, 'members' | 'status'>,
  ip: string,
): Promise<string | undefined> {
  const members = await etcdAt(ip).members();
  const others = members
    .flatMap((member) => member.peerUrls.slice(0, 1))
    .map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))
    .filter((other) => other !== ip);
  // The others first: what they have now the member must have a moment later.
  const places = await Promise.all(others.map((other) => attempt(() => etcdAt(other).status())));
  const target = places.reduce(
    (most, place) => (place.known && place.value.raftIndex > most ? place.value.raftIndex : most),
    0n,
  );
  const { raftAppliedIndex: own } = await etcdAt(ip).status();
  return own >= target
    ? undefined
    : `etcd has not caught up: it is ${target - own} entries behind the others`;
}
