/** The closest look at hosts that fits into so many pixels. */
import { drawing, widthOf } from '../../../export/picture/boxes.js';
import { type Closeness, hostsBox } from '../../../export/picture/cluster-boxes.js';
import type { HostPicture } from '../../../export/picture/picture.js';

const MOST_COLUMNS = 10;

export function fitHosts(
  hosts: readonly HostPicture[],
  detail: Closeness['detail'],
  width: number,
  name: string,
): string {
  let narrowest = hostsBox(hosts, { detail, columns: 1, nodeColumns: 1, opens: true });
  for (let columns = Math.min(hosts.length, MOST_COLUMNS); columns >= 1; columns -= 1) {
    for (const nodeColumns of detail === 'hosts' ? [1] : columns === 1 ? [4, 3, 2, 1] : [2, 1]) {
      narrowest = hostsBox(hosts, { detail, columns, nodeColumns, opens: true });
      if (widthOf(narrowest) <= width) return drawing(narrowest, name);
    }
  }
  return drawing(narrowest, name);
}
