import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { ImageService } from '../../../clients/talos/gen/machine/image_pb.js';
import type { LifecycleService } from '../../../clients/talos/gen/machine/lifecycle_pb.js';
import { parseInstallerImage } from '../config/installer-image.js';
import { reachesOutside } from '../network/network-path.js';
import { TIMING } from '../timing.js';
import { type Endpoint, fail } from './caller.js';
import { shownImages } from './program-calls.js';

type Target = (context: HandlerContext) => Endpoint;

/** Pulls an image in lab time; one that the registry does not have is an error. */
export async function pulledImage({ machine }: Endpoint, reference: string): Promise<void> {
  if (machine.record.images.includes(reference)) return;
  if (!machine.room.images.exists(reference)) {
    fail(Code.NotFound, `error pulling image: failed to pull image "${reference}": ${reference}: not found`);
  }
  const { boot } = machine.record;
  if (!reachesOutside(machine)) {
    await machine.room.core.clock.sleep(TIMING.dialTimeout);
    const host = reference.split('/')[0] ?? '';
    fail(
      Code.Unknown,
      `error pulling image: failed to pull image "${reference}": failed to resolve image: dial tcp: lookup ${host}: i/o timeout`,
    );
  }
  const { faults } = machine.room.core;
  await machine.room.core.clock.sleep(TIMING.imagePull);
  if (faults.strikes('download-fails', String(machine.vmid), machine.hostname, reference)) {
    fail(Code.Unknown, `error pulling image: failed to pull image "${reference}": dial tcp: i/o timeout`);
  }
  if (machine.room.machine(machine.vmid)?.record.boot !== boot)
    fail(Code.Unavailable, 'the machine was stopped');
  machine.update({ images: [...machine.record.images, reference] });
}

export function imageService(target: Target): Partial<ServiceImpl<typeof ImageService>> {
  return {
    async *list({ containerd }, context) {
      yield* shownImages(target(context).machine, containerd?.namespace);
    },
    async *pull({ imageRef }, context) {
      await pulledImage(target(context), imageRef);
      yield { response: { case: 'name', value: imageRef } };
    },
    remove({ imageRef }, context) {
      const { machine } = target(context);
      if (!machine.record.images.includes(imageRef)) fail(Code.NotFound, `image ${imageRef} not found`);
      machine.update({ images: machine.record.images.filter((name) => name !== imageRef) });
      return {};
    },
  };
}

export function lifecycleService(target: Target): Partial<ServiceImpl<typeof LifecycleService>> {
  return {
    async *upgrade({ source }, context) {
      const endpoint = target(context);
      const { machine, busy } = endpoint;
      if (busy.has('upgrade'))
        fail(Code.FailedPrecondition, 'another installation/upgrade is already in progress');
      if (!machine.installed) fail(Code.FailedPrecondition, 'machine is not installed');
      if (!source?.imageName) fail(Code.InvalidArgument, 'installer image name is required');
      busy.add('upgrade');
      try {
        const { boot } = machine.record;
        yield progress({ case: 'message', value: `running Talos installer ${source.imageName}` });
        await machine.room.core.clock.sleep(TIMING.upgrade);
        if (machine.room.machine(machine.vmid)?.record.boot !== boot)
          fail(Code.Unavailable, 'the machine was stopped');
        startUpgrade(endpoint, source.imageName);
        yield progress({ case: 'message', value: 'installation of the new boot entry complete' });
        yield progress({ case: 'exitCode', value: 0 });
      } finally {
        busy.delete('upgrade');
      }
    },
  };
}

type Progress = { case: 'message'; value: string } | { case: 'exitCode'; value: number };

const progress = (response: Progress) => ({ progress: { response } });

/** Writes the boot entry of an installer image. */
export function startUpgrade({ machine, lifecycle }: Endpoint, reference: string): void {
  const image = parseInstallerImage(reference);
  if (!image || !machine.room.images.exists(reference)) {
    fail(Code.Unknown, `error validating installer image "${reference}": not found`);
  }
  machine.log(`upgrading to ${reference}`);
  lifecycle.install(machine, { schematic: image.schematic, version: image.version });
}
