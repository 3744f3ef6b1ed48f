/** Where clients outside of this process find the cluster: its own addresses, or their images of a lab that serves. */
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { clusterEndpoint, controlPlanes } from '../../design/machine-config/endpoint.js';
import type { SessionContext } from '../context.js';

const TALOS_PORT = 50_000;

export interface ClientAddresses {
  /** Control planes for talosctl. */
  readonly endpoints: readonly string[];
  /** `https://…` for kubectl. */
  readonly server: string;
}

type Place = (ip: string, port: number) => { readonly host: string; readonly port: number };

export async function clientAddresses(
  context: Pick<SessionContext, 'cwd' | 'target'>,
  config: Config,
): Promise<ClientAddresses> {
  const place = context.target.kind === 'lab' ? await servedPlaces(context.cwd) : undefined;
  const server = clusterEndpoint(config);
  if (!place) return { endpoints: controlPlanes(config).map((node) => node.ip), server };
  const url = new URL(server);
  const api = place(url.hostname, Number(url.port || 443));
  return {
    endpoints: controlPlanes(config).map((node) => {
      const { host, port } = place(node.ip, TALOS_PORT);
      return port === TALOS_PORT ? host : `${host}:${port}`;
    }),
    server: `https://${api.host}:${api.port}`,
  };
}

/** The lab is loaded only when it is asked for. `undefined`: none serves, and no other program could reach it. */
async function servedPlaces(cwd: string): Promise<Place | undefined> {
  const { findServingLab } = await import('../../lab/control.js');
  const serving = findServingLab(join(cwd, '.oxherd', 'lab'));
  if (!serving) return undefined;
  const { names } = await serving.address();
  return (ip, port) => names[`${ip}:${port}`] ?? serving.dial(ip, port);
}
