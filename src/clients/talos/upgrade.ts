import { parseVersion } from '../../model/version.js';
import type { Calls } from './calls.js';
import { makeTalosError } from './errors.js';
import { ContainerDriver, ContainerdNamespace } from './gen/common/common_pb.js';
import { ImageService } from './gen/machine/image_pb.js';
import { LifecycleService } from './gen/machine/lifecycle_pb.js';
import { MachineService } from './gen/machine/machine_pb.js';

/** Who will run it. */
export type ImagePurpose = 'installer' | 'kubelet' | 'pod';

/** Where installers and the kubelet go: the system namespace of the CRI's containerd, as the real client asks for. */
const SYSTEM = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_SYSTEM };
const KUBERNETES = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_CRI };

/** From 1.13 on Talos has LifecycleService and ImageService; before, MachineService does both in its own way. */
export function hasLifecycleService(talosVersion: string): boolean {
  const version = parseVersion(talosVersion);
  return version !== undefined && (version.major > 1 || (version.major === 1 && version.minor >= 13));
}

export async function pullImage(
  calls: Calls,
  talosVersion: string,
  image: string,
  purpose: ImagePurpose,
): Promise<void> {
  const containerd = purpose === 'pod' ? KUBERNETES : SYSTEM;
  if (!hasLifecycleService(talosVersion)) {
    const request = { namespace: containerd.namespace, reference: image };
    await calls.once(
      (o) => calls.connection.client(MachineService).imagePull(request, o),
      calls.deadlines.long,
    );
    return;
  }
  const request = { containerd, imageRef: image };
  const progress = calls.stream((o) => calls.connection.client(ImageService).pull(request, o), {
    timeoutMs: calls.deadlines.long,
  });
  for await (const _ of progress);
}

/**
 * Installs another Talos beside the running one. From 1.13 it does not reboot: `rebooting` false means the caller
 * drains and reboots. Before 1.13 the call itself makes the machine upgrade and reboot.
 */
export async function upgrade(
  calls: Calls,
  talosVersion: string,
  image: string,
  log: (line: string) => void,
): Promise<{ rebooting: boolean }> {
  if (!hasLifecycleService(talosVersion)) {
    await calls.once(
      (o) => calls.connection.client(MachineService).upgrade({ image, preserve: true }, o),
      calls.deadlines.long,
    );
    return { rebooting: true };
  }
  await pullImage(calls, talosVersion, image, 'installer');
  const request = { containerd: SYSTEM, source: { imageName: image } };
  const progress = calls.stream((o) => calls.connection.client(LifecycleService).upgrade(request, o), {
    timeoutMs: calls.deadlines.long,
  });
  let exitCode: number | undefined;
  let lastLine = '';
  for await (const { progress: step } of progress) {
    if (step?.response.case === 'message') {
      lastLine = step.response.value;
      log(lastLine);
    } else if (step?.response.case === 'exitCode') {
      exitCode = step.response.value;
    }
  }
  // A failed installer ends its stream with OK; only the exit code tells.
  if (exitCode !== 0) {
    const what =
      exitCode === undefined ? 'the installer was interrupted' : `the installer ended with ${exitCode}`;
    throw makeTalosError(
      'talos.upgrade-failed',
      lastLine ? `${what}: ${lastLine}` : what,
      calls.connection.where,
    );
  }
  return { rebooting: false };
}
