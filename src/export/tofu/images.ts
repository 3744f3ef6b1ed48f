/** Images by the hosts that the VMs are on: a VM may have been moved since it was made. */

import type { Design, ImageDesign } from '../../design/design.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { hostOf, imageOf, type TofuFacts } from './node-model.js';

/** One per host and file. */
export function imagesInUse(design: Design, observed?: TofuFacts): readonly ImageDesign[] {
  const byPlace = new Map<string, ImageDesign>();
  for (const node of design.nodes) {
    const image = design.images.find((each) => each.filename === imageOf(node));
    const host = hostOf(node, observed);
    if (image) byPlace.set(`${host}/${image.filename}`, { ...image, host });
  }
  return [...byPlace].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, image]) => image);
}

/** Those that nothing downloads: they are on their storages already, or only VMs that are there came from them. */
export function presentImages(design: Design, observed: TofuFacts): readonly ImageDesign[] {
  const missing = design.nodes.filter(({ talosVm }) => visibleVm(observed, talosVm.vmid) === undefined);
  const needed = new Set(missing.map((node) => `${hostOf(node, observed)}/${imageOf(node)}`));
  return imagesInUse(design, observed).filter((image) => {
    const there = observed.images[`${image.host}/${image.storage}`];
    return (there?.known === true && there.value.includes(image.volid)) || !needed.has(keyOfImage(image));
  });
}

export function keyOfImage({ host, filename }: ImageDesign): string {
  return `${host}/${filename}`;
}
