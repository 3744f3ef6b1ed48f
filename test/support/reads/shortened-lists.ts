/** The same situation through a token with one right less, for which Proxmox shortens its lists. */
import type { ProxmoxConnection } from '../../../src/clients/proxmox/client.js';
import type { ClusterSite } from '../cluster-site.js';
import type { Covered } from './read-verdict.js';
import { clientWith, type Grant, missingRights } from './tokens.js';

/** Another way to read Proxmox. */
export interface ProxmoxView {
  readonly name: string;
  /** Verdicts that rest on what it does not show. */
  readonly covers: Covered;
  /** Its token is made at the first use. */
  client(): Promise<ProxmoxConnection>;
}

/** For one state of the cluster. */
export class ShortenedLists {
  readonly #open = new Map<string, Promise<ProxmoxConnection>>();

  constructor(private readonly cluster: ClusterSite) {}

  views(): ProxmoxView[] {
    const { vms, storages } = this.cluster.lab.proxmox.pve.db;
    const vmids = [...vms.values()].map(({ vmid }) => vmid);
    const rights = missingRights(
      vmids,
      [...storages.values()].map(({ id }) => id),
    );
    const inUse = new Set(
      [...vms.values()].flatMap(({ config }) =>
        Object.values(config).flatMap((line) => /^([\w-]+):/.exec(line)?.[1] ?? []),
      ),
    );
    return rights.map(([right, grants], index) => ({
      name: `without ${right}`,
      covers: coversOf(right, inUse),
      client: () => this.#client(`less${index}`, grants),
    }));
  }

  async close(): Promise<void> {
    for (const client of this.#open.values()) await (await client).close();
  }

  #client(name: string, grants: readonly Grant[]): Promise<ProxmoxConnection> {
    const client = this.#open.get(name) ?? clientWith(this.cluster, name, grants);
    this.#open.set(name, client);
    return client;
  }
}

/** Rights without which nothing of this cluster is hidden take nothing from a verdict. */
function coversOf(right: string, storages: ReadonlySet<string>): Covered {
  const storage = /on \/storage\/(.*)$/.exec(right)?.[1];
  if (storage !== undefined) return { plan: storages.has(storage), status: storages.has(storage) };
  const isRead = /VM\.Audit|Sys\.Audit\$ on \/$/.test(right);
  // Bridges are compared by the plan only.
  return { plan: isRead || right.includes('SDN'), status: isRead };
}
