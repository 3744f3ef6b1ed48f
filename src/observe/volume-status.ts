/** VolumeStatus as Talos writes it (`VolumeStatusSpec` in pkg/machinery/resources/block/volume_status.go). */
import { isMapping } from '../formats/text/mapping.js';

export interface VolumeStatus {
  /** `EPHEMERAL`, `u-longhorn` */
  readonly id: string;
  readonly phase: string;
  /** Why it failed, in Talos's words. */
  readonly error?: string;
  readonly size?: number;
  /** Device path of the disk that holds it, or of its partition. */
  readonly location: string;
  /** Of a volume that Talos opened with a key. */
  readonly encryption?: OpenedEncryption;
}

interface OpenedEncryption {
  /** The key slot that opened it. */
  readonly slot: number;
  /** Key slots that Talos could not bring in line with the config, with the reason. */
  readonly failedSyncs: readonly string[];
}

export function parseVolumeStatus({
  id,
  spec,
}: {
  readonly id: string;
  readonly spec: unknown;
}): VolumeStatus {
  const status = isMapping(spec) ? spec : {};
  const { size, encryptionSlot, encryptionFailedSyncs } = status;
  const error = textOf(status.errorMessage);
  return {
    id,
    phase: textOf(status.phase),
    ...(error !== '' && { error }),
    ...(typeof size === 'number' && { size }),
    location: textOf(status.parentLocation) || textOf(status.location),
    ...(typeof encryptionSlot === 'number' && {
      encryption: {
        slot: encryptionSlot,
        failedSyncs: Array.isArray(encryptionFailedSyncs) ? encryptionFailedSyncs.map(textOf) : [],
      },
    }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
