/** The closest look at hosts that fits into so many pixels. */
import { drawing } from '../../../export/picture/boxes.js';
import { type Closeness, hostsBox } from '../../../export/picture/cluster-boxes.js';
import type { HostPicture } from '../../../export/picture/picture.js';

const MOST_COLUMNS = 10;

export function fitHosts(
  hosts: readonly HostPicture[],
  detail: Closeness['detail'],
  width: number,
  name: string,
): string {
  let narrowest = '';
  for (let columns = Math.min(hosts.length, MOST_COLUMNS); columns >= 1; columns -= 1) {
    for (const nodeColumns of detail === 'hosts' ? [1] : columns === 1 ? [4, 3, 2, 1] : [2, 1]) {
      narrowest = drawing(hostsBox(hosts, { detail, columns, nodeColumns, opens: true }), name);
      if (widthOf(narrowest) <= width) return narrowest;
    }
  }
  return narrowest;
}

function widthOf(svg: string): number {
  return Number(/ width="(\d+)"/.exec(svg)?.[1]);
}
