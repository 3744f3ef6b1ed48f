/** Rules of others that cannot be kept beside those of oxherd.yaml: named, and never changed. */
import type { Design } from '../../design/design.js';
import { sidOf } from '../../design/ha.js';
import { isHaRuleOf } from '../../formats/marks/cluster-names.js';
import type { ObservedHa } from '../../observe/observed.js';

interface Rule {
  readonly type: string;
  readonly settings: Readonly<Record<string, string>>;
}

interface ForeignRule {
  /** Of ours; absent: it stands in the way of a `host:` alone. */
  readonly rule?: string;
  readonly message: string;
}

export function foreignRules(design: Design, { rules, resources }: ObservedHa): ForeignRule[] {
  const others = Object.entries(rules.known ? rules.value : {}).filter(
    ([name, { settings }]) => !isHaRuleOf(design.cluster, name) && settings.disable !== '1',
  );
  return others.flatMap(([name, other]) => {
    const disable = `to disable it: ha-manager rules set ${other.type} ${name} --disable 1`;
    return [
      ...Object.entries(design.ha?.rules ?? {}).flatMap(([rule, own]): ForeignRule[] => {
        const why = contradiction(own, other);
        if (why === undefined) return [];
        return [{ rule, message: `HA rule ${name} of others ${why}: ${rule} is left as it is; ${disable}` }];
      }),
      ...displaced(design, other)
        .filter((sid) => resources[sid] !== undefined)
        .map((sid): ForeignRule => {
          const hosts = hostsOf(other).join(', ');
          return { message: `HA rule ${name} of others keeps ${sid} on ${hosts}; ${disable}` };
        }),
    ];
  });
}

/** As Proxmox checks them: it refuses a rule that contradicts one it has. */
function contradiction(own: Rule, other: Rule): string | undefined {
  const shared = listed(own.settings.resources).filter((sid) =>
    listed(other.settings.resources).includes(sid),
  );
  const sids = shared.join(', ');
  if (other.type === 'node-affinity') {
    if (shared.length === 0) return undefined;
    if (own.type === 'node-affinity') return `says on which hosts ${sids} may run`;
    const priorities = new Set(listed(other.settings.nodes).map((entry) => entry.split(':')[1] ?? '0'));
    return priorities.size > 1 ? `has priorities of hosts for ${sids}` : undefined;
  }
  if (own.type !== 'resource-affinity' || shared.length < 2) return undefined;
  if (own.settings.affinity === other.settings.affinity) return undefined;
  return `keeps ${sids} ${other.settings.affinity === 'negative' ? 'apart' : 'together'}`;
}

/** Talos VMs that it keeps from the host that oxherd.yaml names. */
function displaced({ nodes }: Design, other: Rule): string[] {
  if (other.type !== 'node-affinity' || other.settings.strict !== '1') return [];
  const members = listed(other.settings.resources);
  return nodes
    .filter(({ talosVm, host }) => members.includes(sidOf(talosVm.vmid)) && !hostsOf(other).includes(host))
    .map(({ talosVm }) => sidOf(talosVm.vmid));
}

function hostsOf({ settings }: Rule): string[] {
  return listed(settings.nodes).map((entry) => entry.split(':')[0] ?? '');
}

function listed(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((part) => part !== '');
}
