import { printSchematic, schematicId } from '../../formats/talos/schematic.js';
import { parseSchematic } from '../../formats/talos/schematic-reader.js';
import { hashParts } from '../../formats/text/hash.js';
import { compareVersions, parseVersion } from '../../model/version.js';
import type { LabCore } from '../lab.js';
import type { FetchedFile } from '../proxmox/api.js';

/** An Image Factory: schematics by the hash of their text, images of every version of each. */
export interface Factory {
  /** The id of a schematic, which it knows from now on. Throws what is wrong with the text. */
  register(text: string): string;
  versions(): readonly string[];
  officialExtensions(version: string): readonly string[] | undefined;
  /** A file by its URL; `undefined`: not an address of an Image Factory. */
  file(url: string): FetchedFile | undefined;
  /** Whether an installer image can be pulled; images of other registries always can. */
  hasImage(reference: string): boolean;
  /** Official extensions of a schematic that was registered here. */
  extensionsOf(schematic: string): readonly string[];
}

export interface FactoryOptions {
  /** Refuse schematics that were not registered here; else they count as registered by someone earlier. */
  readonly strict?: boolean;
}

const VERSIONS = ['v1.12.0', 'v1.12.4', 'v1.13.0', 'v1.13.8', 'v1.13.9', 'v1.14.0', 'v1.14.1', 'v1.14.2'];

const EXTENSIONS = [
  'siderolabs/amd-ucode',
  'siderolabs/amdgpu',
  'siderolabs/binfmt-misc',
  'siderolabs/bnx2-bnx2x',
  'siderolabs/btrfs',
  'siderolabs/chelsio-drivers',
  'siderolabs/chelsio-firmware',
  'siderolabs/cloudflared',
  'siderolabs/crun',
  'siderolabs/ctr',
  'siderolabs/drbd',
  'siderolabs/ecr-credential-provider',
  'siderolabs/fuse3',
  'siderolabs/gasket-driver',
  'siderolabs/glibc',
  'siderolabs/gvisor',
  'siderolabs/hailort',
  'siderolabs/i915',
  'siderolabs/intel-ice-firmware',
  'siderolabs/intel-npu',
  'siderolabs/intel-ucode',
  'siderolabs/iscsi-tools',
  'siderolabs/kata-containers',
  'siderolabs/lldpd',
  'siderolabs/mdadm',
  'siderolabs/mei',
  'siderolabs/metal-agent',
  'siderolabs/nebula',
  'siderolabs/netbird',
  'siderolabs/newt',
  'siderolabs/nfs-utils',
  'siderolabs/nfsd',
  'siderolabs/nfsrahead',
  'siderolabs/nonfree-kmod-nvidia-lts',
  'siderolabs/nonfree-kmod-nvidia-production',
  'siderolabs/nut-client',
  'siderolabs/nvidia-container-toolkit-lts',
  'siderolabs/nvidia-container-toolkit-production',
  'siderolabs/nvidia-fabricmanager-lts',
  'siderolabs/nvidia-fabricmanager-production',
  'siderolabs/nvidia-open-gpu-kernel-modules-lts',
  'siderolabs/nvidia-open-gpu-kernel-modules-production',
  'siderolabs/nvme-cli',
  'siderolabs/panfrost',
  'siderolabs/qemu-guest-agent',
  'siderolabs/qlogic-firmware',
  'siderolabs/realtek-firmware',
  'siderolabs/revpi-firmware',
  'siderolabs/spin',
  'siderolabs/stargz-snapshotter',
  'siderolabs/tailscale',
  'siderolabs/tenstorrent',
  'siderolabs/thunderbolt',
  'siderolabs/trident-iscsi-tools',
  'siderolabs/uinput',
  'siderolabs/usb-audio-drivers',
  'siderolabs/usb-modem-drivers',
  'siderolabs/util-linux-tools',
  'siderolabs/v4l-uvc-drivers',
  'siderolabs/vc4',
  'siderolabs/vmtoolsd-guest-agent',
  'siderolabs/wasmedge',
  'siderolabs/xdma-driver',
  'siderolabs/xe',
  'siderolabs/xen-guest-agent',
  'siderolabs/youki',
  'siderolabs/zerotier',
  'siderolabs/zfs',
];

/** The disk image of 1.14 is 4,247 MiB; what is downloaded is much less. */
const VIRTUAL_SIZE = 4_247 * 1024 ** 2;
const FILE_SIZES: ReadonlyMap<string, number> = new Map([
  ['qcow2', 118 * 1024 ** 2],
  ['iso', 310 * 1024 ** 2],
  ['raw.xz', 96 * 1024 ** 2],
  ['raw.zst', 112 * 1024 ** 2],
  ['raw.gz', 135 * 1024 ** 2],
]);
/** Without customization: every factory has it. */
const VANILLA = '376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';

const IMAGE = /\/image\/([0-9a-f]{64})\/(v[^/]+)\/([a-z]+)-(amd64|arm64)(?:-secureboot)?\.([a-z0-9.]+)$/;
const INSTALLER = /\/(?:[a-z0-9-]+-)?installer(?:-secureboot)?\/([0-9a-f]{64}):(v[^:@/]+)/;

export function createFactory(core: LabCore, { strict = false }: FactoryOptions = {}): Factory {
  const schematics = core.store.table<string>('factory/schematics');
  const knows = (schematic: string) => !strict || schematic === VANILLA || schematics.has(schematic);
  return {
    register(text) {
      const schematic = parseSchematic(text);
      const id = schematicId(schematic);
      if (!schematics.has(id)) schematics.put(id, printSchematic(schematic));
      return id;
    },
    versions: () => VERSIONS,
    officialExtensions: (version) => (isVersion(version) ? EXTENSIONS : undefined),
    file(url) {
      const [, schematic, version, platform, arch, format] = IMAGE.exec(url) ?? [];
      if (!schematic || !version || !platform || !arch || !format) return undefined;
      if (core.faults.strikes('download-fails', url, schematic, version))
        return failed(503, 'Service Unavailable');
      const size = FILE_SIZES.get(format);
      if (!knows(schematic) || !isVersion(version) || size === undefined) return failed(404, 'Not Found');
      return {
        status: 200,
        reason: 'OK',
        size,
        contentType: 'application/octet-stream',
        sha256: hashParts(['image', schematic, version, platform, arch, format]),
        image: { schematic, version, arch, format, virtualSize: VIRTUAL_SIZE },
      };
    },
    hasImage(reference) {
      const [, schematic, version] = INSTALLER.exec(reference) ?? [];
      if (!schematic || !version) return true;
      if (core.faults.strikes('download-fails', reference, schematic, version)) return false;
      return knows(schematic) && isVersion(version);
    },
    extensionsOf(schematic) {
      const text = schematics.get(schematic);
      return text === undefined ? [] : parseSchematic(text).customization.officialExtensions;
    },
  };
}

/** Every release from 1.12 on that looks like one: the lab need not be taught each new patch. */
function isVersion(text: string): boolean {
  const version = parseVersion(text);
  const first = parseVersion('v1.12.0');
  return version !== undefined && first !== undefined && compareVersions(version, first) >= 0;
}

function failed(status: number, reason: string): FetchedFile {
  return { status, reason, size: 0, contentType: 'text/plain', sha256: '' };
}
