import { gunzipSync } from 'node:zlib';

/**
 * The Kubeconfig answer is a gzipped tar whose writer was never closed: there are no end blocks and the last file is
 * not padded (recording kubeconfig-framing), so a strict tar reader fails. The first entry is read by its size.
 */
export function readKubeconfigArchive(archive: Uint8Array): string {
  const tar = gunzipSync(archive);
  const field = (start: number, length: number) =>
    tar
      .subarray(start, start + length)
      .toString('latin1')
      .replace(/\0.*$/s, '')
      .trim();
  const size = Number.parseInt(field(124, 12), 8);
  if (field(0, 100) !== 'kubeconfig' || !Number.isInteger(size) || tar.length < 512 + size) {
    throw new Error('the answer holds no kubeconfig');
  }
  return tar.subarray(512, 512 + size).toString('utf8');
}
