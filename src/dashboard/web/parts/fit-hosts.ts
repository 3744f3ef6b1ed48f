/** The closest look at hosts that fits into so many pixels. */

import { drawingPieces } from '../../../export/picture/boxes.js';
import { hostsBox, movesIn } from '../../../export/picture/cluster-boxes.js';
import { type Box, measure } from '../../../export/picture/layout.js';
import type { Closeness } from '../../../export/picture/node-boxes.js';
import type { HostPicture } from '../../../export/picture/picture.js';

const MOST_COLUMNS = 10;

export function fitHosts(
  hosts: readonly HostPicture[],
  detail: Closeness['detail'],
  width: number,
  fresh: ReadonlySet<string>,
): ReturnType<typeof drawingPieces> {
  return drawingPieces(fitting(hosts, detail, width, fresh), movesIn(hosts));
}

function fitting(
  hosts: readonly HostPicture[],
  detail: Closeness['detail'],
  width: number,
  fresh: ReadonlySet<string>,
): Box {
  const look = { detail, opens: true, fresh };
  for (let columns = Math.min(hosts.length, MOST_COLUMNS); columns >= 1; columns -= 1) {
    for (const nodeColumns of detail === 'hosts' ? [1] : columns === 1 ? [4, 3, 2, 1] : [2, 1]) {
      const box = hostsBox(hosts, { ...look, columns, nodeColumns });
      if (measure(box).width <= width) return box;
    }
  }
  return hostsBox(hosts, { ...look, columns: 1, nodeColumns: 1 });
}
