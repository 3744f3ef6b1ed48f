/** What changed on a Proxmox between two looks at its resources, as far as a cluster may care. */

interface Guest {
  readonly vmid: number;
  readonly node: string;
  readonly name: string | undefined;
  readonly status: string;
  readonly tags: readonly string[];
  readonly template: boolean;
  readonly lock: string | undefined;
  readonly cpus: number | undefined;
  readonly memory: number | undefined;
}

interface Resources {
  readonly hosts: readonly { readonly node: string; readonly online: boolean }[];
  readonly vms: readonly Guest[];
}

/** A line for each guest and host; load, use and uptime change all the time and are not in it. */
export interface SiteSight {
  readonly guests: ReadonlyMap<number, { readonly tags: readonly string[]; readonly line: string }>;
  readonly hosts: ReadonlyMap<string, boolean>;
}

export function sightOf({ hosts, vms }: Resources): SiteSight {
  return {
    guests: new Map(
      vms.map(({ vmid, node, name, status, tags, template, lock, cpus, memory }) => [
        vmid,
        { tags, line: JSON.stringify([node, name, status, [...tags].sort(), template, lock, cpus, memory]) },
      ]),
    ),
    hosts: new Map(hosts.map(({ node, online }) => [node, online])),
  };
}

interface SiteChanges {
  /** Of guests that came, went or changed, before and after. */
  readonly tags: ReadonlySet<string>;
  /** That came, went, failed or came back. */
  readonly hosts: ReadonlySet<string>;
}

export function changesBetween(before: SiteSight, after: SiteSight): SiteChanges {
  const tags = new Set<string>();
  for (const vmid of new Set([...before.guests.keys(), ...after.guests.keys()])) {
    const [old, now] = [before.guests.get(vmid), after.guests.get(vmid)];
    if (old?.line === now?.line) continue;
    for (const tag of [...(old?.tags ?? []), ...(now?.tags ?? [])]) tags.add(tag);
  }
  const names = new Set([...before.hosts.keys(), ...after.hosts.keys()]);
  const hosts = new Set([...names].filter((name) => before.hosts.get(name) !== after.hosts.get(name)));
  return { tags, hosts };
}
