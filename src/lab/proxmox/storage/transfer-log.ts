/** What wget writes into the log of a download task. */
import { type Pve, PveError, type TaskContext } from '../api.js';
import type { Download } from './downloaded-file.js';

export function logTransfer(pve: Pve, download: Download, temporary: string, task: TaskContext): void {
  const { answer, url } = download;
  const stamp = new Date(pve.core.clock.now()).toISOString().slice(0, 19).replace('T', ' ');
  task.log(`--${stamp}--  ${url}`);
  const { hostname, port, protocol } = new URL(url);
  const place = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  // The last line of a command that failed is its error, and not in the log.
  if (!answer && download.unresolved) {
    task.log(`Resolving ${hostname} (${hostname})... failed: Name or service not known.`);
    throw new PveError(500, `download failed: wget: unable to resolve host address '${hostname}'`);
  }
  if (!answer) {
    throw new PveError(500, `download failed: Connecting to ${place}... failed: Connection refused.`);
  }
  task.log(`Connecting to ${place}... connected.`);
  task.log(`HTTP request sent, awaiting response... ${answer.status} ${answer.reason}`);
  if (answer.status >= 400) {
    task.log(`${stamp} ERROR ${answer.status}: ${answer.reason}.`);
    throw new PveError(500, 'download failed: exit code 8');
  }
  task.log(`Length: ${answer.size}${shortSize(answer.size)} [${answer.contentType}]`);
  task.log(`Saving to: '${temporary}'`);
  task.log('     0K                                    100%  100M=0s');
  task.log(`${stamp} (100 MB/s) - '${temporary}' saved [${answer.size}/${answer.size}]`);
}

/** As wget adds it for people: ` (39K)`. */
function shortSize(bytes: number): string {
  if (bytes < 1024) return '';
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return ` (${value < 10 ? value.toFixed(1) : Math.floor(value)}${'KMG'[power - 1]})`;
}
