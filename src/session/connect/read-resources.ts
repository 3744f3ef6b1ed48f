/** One request for everything that a Proxmox cluster runs: enough to see that something changed, and for many clusters at once. */
import type { Resources } from '../../clients/proxmox/calls/resources.js';
import { connectProxmox } from '../../clients/proxmox/client.js';
import type { SessionContext } from '../context.js';
import { guarded } from './read-only.js';
import { type LoadedConfig, openPlace } from './site.js';

export async function readResources(context: SessionContext, loaded: LoadedConfig): Promise<Resources> {
  const place = await openPlace(context, loaded);
  const client = guarded(
    connectProxmox({
      ...place.connection,
      clock: place.clock,
      random: Math.random,
      signal: context.signal,
      ...(context.traffic && { pace: context.traffic.pace }),
    }),
  );
  try {
    return await client.resources();
  } finally {
    await client.close();
    await place.close();
  }
}
