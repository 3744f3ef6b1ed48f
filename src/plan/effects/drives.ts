/** Options that a running guest gets only by a new start. See README.md in this folder. */

/** qemu-server's list of drive options that cannot be changed while the guest runs. */
const NEED_START = ['aio', 'cache', 'discard', 'iothread', 'queues', 'ro', 'ssd', 'wwn', 'product', 'vendor'];

export function needsRestart(
  now: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return NEED_START.some((key) => (now[key] ?? '') !== (wanted[key] ?? ''));
}
