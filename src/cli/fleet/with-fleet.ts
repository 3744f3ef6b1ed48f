/** A connection to the fleet's Kubernetes for one command. */
import type { FleetConnection } from '../../controller/admin/connect-fleet.js';
import { wallClock } from '../../session/connect/wall-clock.js';
import type { CliContext } from '../context.js';
import { fleetOptions } from './fleet-options.js';

interface OpenFleet {
  readonly client: FleetConnection['client'];
  /** What was asked for, else that of the kubeconfig's context. */
  readonly namespace: string;
  readonly admin: typeof import('../../controller/admin/fleet-admin.js');
}

export async function withFleet<T>(
  context: CliContext,
  options: Readonly<Record<string, unknown>>,
  work: (fleet: OpenFleet) => Promise<T>,
): Promise<T> {
  const [{ connectFleet }, admin] = await Promise.all([
    import('../../controller/admin/connect-fleet.js'),
    import('../../controller/admin/fleet-admin.js'),
  ]);
  const asked = fleetOptions(context, options);
  const { client, access } = connectFleet(asked, wallClock);
  try {
    return await work({ client, namespace: asked.namespace ?? access.namespace, admin });
  } finally {
    await client.close();
  }
}
