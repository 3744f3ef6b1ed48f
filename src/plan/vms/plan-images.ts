/** Image files: downloaded where a node needs one and the storage does not have it; a shared storage once. */

import type { Design, ImageDesign } from '../../design/design.js';
import type { PlanContext } from '../input.js';
import { drafted, type Planned } from '../planned.js';

/** Which step brings an image; key: `host volid`. */
type ImageSteps = Map<string, string | undefined>;

/** Only for hosts on which a VM is to be made: an image that no one needs any more is not fetched again. */
export function planImages(given: PlanContext, hosts: ReadonlySet<string>): Planned<ImageSteps> {
  return drafted<ImageSteps>(given, (context) => {
    const { design, observed, list, problems } = context;
    const steps: ImageSteps = new Map();
    const shared = new Map<string, string>();
    for (const image of design.images) {
      if (!hosts.has(image.host)) continue;
      const key = imageKey(image.host, image.volid);
      const storage = observed.storages[`${image.host}/${image.storage}`];
      if (!storage?.content.includes(image.content)) {
        problems.push(storageProblem(image, storage?.content));
        continue;
      }
      const files = observed.images[`${image.host}/${image.storage}`];
      if (files && !files.known) {
        problems.push(unreadProblem(image, files.why));
        continue;
      }
      if (files?.value.includes(image.volid)) continue;
      const already = storage.shared ? shared.get(image.volid) : undefined;
      const step =
        already ??
        list.add(key, {
          kind: 'download-image',
          title: `download Talos ${image.talosVersion} to ${image.storage} on ${image.host}`,
          reasons: [`${image.volid} is missing`],
          impact: 'none',
          load: { host: image.host },
          host: image.host,
          storage: image.storage,
          content: image.content,
          filename: image.filename,
          volid: image.volid,
          url: image.url,
          schematicId: image.schematicId,
        });
      if (storage.shared) shared.set(image.volid, step);
      steps.set(key, step);
    }
    return steps;
  });
}

export function imageKey(host: string, volid: string): string {
  return `${host} ${volid}`;
}

/** The image a node's system disk is made from, or boots from. */
export function imageOf(design: Design, node: Design['nodes'][number]): ImageDesign | undefined {
  const cdrom = Object.values(node.talosVm.auxiliary).find((drive) => drive.kind === 'cdrom');
  const volid =
    node.drives.find((drive) => drive.importFrom !== undefined)?.importFrom ??
    (cdrom && 'volid' in cdrom ? cdrom.volid : undefined);
  return design.images.find((image) => image.host === node.host && image.volid === volid);
}

function storageProblem(image: ImageDesign, content: readonly string[] | undefined) {
  const where = `${image.storage} on ${image.host}`;
  if (!content) {
    return {
      code: 'storage-unknown',
      scope: 'plan' as const,
      message: `there is no storage ${where} for images`,
      advice: 'set proxmox.imageStorage to an existing storage, or grant the token Datastore.Audit on it',
    };
  }
  return {
    code: 'storage-content',
    scope: 'plan' as const,
    message: `storage ${where} does not take content ${image.content}`,
    advice: `pvesm set ${image.storage} --content ${[...content, image.content].join(',')}`,
  };
}

/** An image that is there already would be downloaded again, over the one that VMs are made from. */
function unreadProblem({ storage, host, talosVersion }: ImageDesign, why: string) {
  return {
    code: 'image-unread',
    scope: 'plan' as const,
    message: `whether ${storage} on ${host} has the image of Talos ${talosVersion} could not be read: ${why}`,
    advice: `run the command again when ${host} answers; the token needs Datastore.Audit on /storage/${storage}`,
  };
}
