/** Parked data VMs that still have the tag of version 0.1.0; VMs of oxherd.yaml get theirs with their other options. */

import { legacyTag } from '../../formats/marks/cluster-names.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { printTags } from '../../formats/proxmox/property-string.js';
import { visibleVms } from '../../observe/observed-vms.js';
import type { PlanContext } from '../input.js';
import { drafted, type Planned } from '../planned.js';

export function planLegacyTags(given: PlanContext): Planned {
  return drafted(given, ({ design, observed, list }) => {
    const { cluster, nodes } = design;
    const old = legacyTag(cluster);
    const inFile = new Set(nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]));
    for (const vm of visibleVms(observed)) {
      if (inFile.has(vm.vmid) || !vm.tags.includes(old) || !vm.tags.includes(DATA_TAG)) continue;
      if (!vm.config.known) continue;
      const from = vm.config.value.values.tags ?? '';
      const to = printTags([...vm.tags.filter((tag) => tag !== old), cluster.tag]);
      list.add(String(vm.vmid), {
        kind: 'set-options',
        title: `set tags of data VM ${vm.vmid}`,
        reasons: [`tags ${from} → ${to}`],
        impact: 'live',
        load: { host: vm.host },
        vmid: vm.vmid,
        host: vm.host,
        changes: { tags: { from, to } },
      });
    }
  });
}
