/** What `ha` needs and a node does not have. */
import type { Design, NodeDesign } from '../../design/design.js';
import { haRuleName } from '../../formats/marks/cluster-names.js';
import type { Observed } from '../../observe/observed.js';
import type { Problem } from '../plan.js';

export function haProblems(design: Design, observed: Observed): Problem[] {
  const { ha } = design;
  if (!ha) return [];
  const nodes = design.nodes.filter(({ name }) => ha.nodes.includes(name));
  return [...nodes.flatMap((node) => localDisks(node, observed)), ...tooFewHosts(design, observed)];
}

/** HA starts a VM elsewhere with nothing but its config: disks that stay behind would be missing. */
function localDisks(node: NodeDesign, observed: Observed): Problem[] {
  const auxiliary = [node.talosVm, ...(node.dataVm ? [node.dataVm] : [])].flatMap((vm) =>
    Object.entries(vm.auxiliary).flatMap(([slot, drive]) =>
      'storage' in drive ? [{ name: slot, storage: drive.storage }] : [],
    ),
  );
  const local = [...node.drives, ...auxiliary].filter(
    ({ storage }) => observed.storages[`${node.host}/${storage}`]?.shared === false,
  );
  if (local.length === 0) return [];
  const names = local.map(({ name, storage }) => `${name} on ${storage}`).join(', ');
  return [
    {
      code: 'ha-local-disk',
      scope: 'plan',
      node: node.name,
      message: `${node.name} has \`ha\`, but disks that only ${node.host} sees: ${names}`,
      advice: 'put all of its disks on shared storage (`storage:`), or remove `ha`',
    },
  ];
}

/** Proxmox refuses a rule that it cannot keep. */
function tooFewHosts({ cluster, ha }: Design, observed: Observed): Problem[] {
  const spread = ha?.rules[haRuleName(cluster, 'spread')];
  const apart = spread?.settings.resources?.split(',') ?? [];
  const hosts = Object.keys(observed.hosts);
  const bound = Object.values(ha?.rules ?? {}).filter(({ settings }) => settings.strict === '1');
  const allowed = new Set(bound.flatMap(({ settings }) => settings.nodes?.split(',') ?? []));
  const strictly = apart.filter((sid) =>
    bound.some(({ settings }) => settings.resources?.split(',').includes(sid)),
  );
  const advice = 'add hosts, or write `spread: false` under `ha` of the control planes';
  if (apart.length > hosts.length)
    return [
      tooFew(
        `${apart.length} control planes are to be kept apart, and there are ${hosts.length} hosts`,
        advice,
      ),
    ];
  if (strictly.length > 1 && strictly.length > allowed.size)
    return [
      tooFew(
        `${strictly.length} control planes are to be kept apart on ${[...allowed].sort().join(', ')} alone`,
        advice,
      ),
    ];
  return [];
}

function tooFew(message: string, advice: string): Problem {
  return { code: 'ha-spread', scope: 'plan', message, advice };
}

/** Groups became rules with version 9, and only once all hosts have it. */
export function oldHosts({ hosts }: Pick<Observed, 'hosts'>): string[] {
  return Object.values(hosts)
    .filter(({ version }) => version !== undefined && Number(version.split('.')[0]) < 9)
    .map(({ name, version }) => `${name} runs ${version}`)
    .sort();
}
