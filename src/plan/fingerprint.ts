import { canonicalJson } from '../design/canonical-json.js';
import type { Design } from '../design/design.js';
import { ownerOfVolume } from '../formats/drive-slots.js';
import { sha256Hex } from '../formats/hash.js';
import type { Observed } from '../observe/observed.js';
import type { ObservedKubernetes } from '../observe/observed-kubernetes.js';

/** Over what the plan relies on: our VMs' configs and places, our volumes, the images. Nothing that moves by itself. */
export function fingerprintOf(design: Design, observed: Observed): string {
  const ours = new Set(Object.keys(observed.vms).map(Number));
  const volumes = Object.entries(observed.volumes).map(([place, listed]) => [
    place,
    listed.known
      ? Object.values(listed.value)
          .filter(
            (volume) =>
              ours.has(ownerOfVolume(volume.volid) ?? -1) ||
              design.csiVolumes.some((csi) => volume.volid.endsWith(csi.volumeName)),
          )
          .map((volume) => [volume.volid, volume.size])
          .sort()
      : null,
  ]);
  const vms = Object.values(observed.vms).map((vm) => [
    vm.vmid,
    vm.host,
    vm.status,
    vm.config.known ? [vm.config.value.values, vm.config.value.pending] : null,
  ]);
  return sha256Hex(
    canonicalJson({
      vms,
      volumes,
      images: observed.images,
      machines: Object.values(observed.machines).map((machine) => [
        machine.node,
        machine.presence,
        machine.details.known ? [machine.details.value.talosVersion, machine.details.value.config] : null,
      ]),
      kubernetes: observed.kubernetes ? clusterPart(observed.kubernetes) : null,
      hosts: Object.values(observed.hosts).map((host) => [host.name, host.online]),
    }),
  );
}

/** What was applied, not how it fares. */
function clusterPart({ objects, cilium, csiSecret, sealedKey }: ObservedKubernetes): unknown {
  return [
    Object.entries(objects).map(([key, seen]) => [key, seen.known ? (seen.value?.hash ?? null) : null]),
    cilium.known ? [cilium.value.version ?? null, cilium.value.appliedHash ?? null] : null,
    csiSecret.known ? (csiSecret.value ?? null) : null,
    sealedKey,
  ];
}
