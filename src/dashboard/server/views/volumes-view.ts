import { listVolumes, type VolumeRow } from '../../../session/plan/index.js';
import type { VolumesView } from '../../api.js';
import type { Reading } from '../reading.js';

const UNUSED: ReadonlySet<VolumeRow['state']> = new Set(['parked', 'unused', 'orphan']);

export function volumesView(
  { status: { design, observed }, prepared }: Reading,
  command: (text: string) => string,
): VolumesView {
  const rows = listVolumes(prepared?.design ?? design, observed);
  return {
    rows,
    reclaimable: rows.filter(({ state }) => UNUSED.has(state)).reduce((sum, { size = 0 }) => sum + size, 0),
    command: command('oxherd volumes list'),
  };
}
