/** The dashboard of a fleet: the controller's clusters on the page of `oxherd ui`, for whoever the Kubernetes API lets see them. */
import type { FleetPage, PageCluster } from '../../controller/page/fleet-page.js';
import { packageVersion, pageAssets } from '../../dashboard/server/assets.js';
import type { ClusterSource } from '../../dashboard/server/reading.js';
import { type Dashboard, serveDashboard } from '../../dashboard/server/serve.js';

export function serveFleetPage(
  fleet: FleetPage,
  {
    listen,
    port,
    names,
  }: { readonly listen: string; readonly port: number; readonly names: readonly string[] },
): Promise<Dashboard> {
  return serveDashboard({
    sources: async () => (await fleet.list()).map(sourceOf),
    assets: pageAssets(),
    version: packageVersion(),
    write: false,
    port,
    listen,
    names,
    secrets: fleet.secrets,
    reviewer: {
      command: 'kubectl create token NAME, of a service account that may get oxherdclusters',
      async viewerOf(token) {
        const user = await fleet.userOf(token);
        return user && { mayRead: (id) => fleet.mayRead(user, id) };
      },
    },
  });
}

function sourceOf({ id, namespace, name, folder, reported, open }: PageCluster): ClusterSource {
  const { needs, ...words } = reported;
  return {
    cwd: folder,
    env: {},
    target: { kind: 'proxmox' },
    configPath: `OxherdCluster ${namespace}/${name}`,
    command: (text) =>
      text.startsWith('oxherd apply')
        ? `oxherd fleet approve ${name} PLAN --namespace ${namespace}`
        : `kubectl --namespace ${namespace} describe oxherdcluster ${name}`,
    fleet: { id, name: `${namespace}/${name}`, reported: words, needs, open },
  };
}
