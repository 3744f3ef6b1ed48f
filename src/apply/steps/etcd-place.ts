/** Whether an etcd member that was away has what the others agreed on meanwhile. */
import { attempt } from '../../observe/attempt.js';
import type { StepContext } from './context.js';
import { adminOf } from './machine-wait.js';

/** `undefined`: it has, or there is nobody to compare it with. */
export async function behindBecause(context: StepContext, ip: string): Promise<string | undefined> {
  const members = await adminOf(context, ip).etcd.members();
  const others = members
    .flatMap((member) => member.peerUrls.slice(0, 1))
    .map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''))
    .filter((other) => other !== ip);
  // The others first: what they have now the member must have a moment later.
  const places = await Promise.all(
    others.map((other) => attempt(() => adminOf(context, other).etcd.status())),
  );
  const target = places.reduce(
    (most, place) => (place.known && place.value.raftIndex > most ? place.value.raftIndex : most),
    0n,
  );
  const { raftAppliedIndex: own } = await adminOf(context, ip).etcd.status();
  return own >= target
    ? undefined
    : `etcd has not caught up: it is ${target - own} entries behind the others`;
}
