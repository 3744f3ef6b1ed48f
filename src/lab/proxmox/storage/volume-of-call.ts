import { type Call, PveError } from '../api.js';
import { splitVolumeId } from './volume-name.js';

export function volumeOf(call: Call): string {
  return qualified(call, 'volume');
}

/** A volume's name may come with or without its storage. */
export function qualified(call: Call, name: 'volume' | 'target'): string {
  const storage = call.text('storage') ?? '';
  const volume = call.text(name) ?? '';
  if (!volume.includes(':')) return `${storage}:${volume}`;
  const split = splitVolumeId(volume);
  if (!split) throw PveError.parameter({ volume: `unable to parse volume ID '${volume}'\n` });
  if (split.storage !== storage) {
    throw PveError.parameter({ volume: `storage ID mismatch (${split.storage} != ${storage})\n` });
  }
  return volume;
}
