/** Images by the hosts that the VMs are on: a VM may have been moved since it was made. */
import type { Design, ImageDesign } from '../../design/design.js';
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
