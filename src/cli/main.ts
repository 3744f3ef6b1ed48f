/** The command as a process: signals, streams and the exit code around `runApp`. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runApp } from './app.js';

const interrupt = new AbortController();
/**
 * A service manager kills what has not ended in time: the run is given most of a second to save and to unlock. A controller is
 * given what its pod has, so that its runs come to a safe end and their leases are handed over.
 */
const TERMINATION_MS = process.argv.includes('controller') ? 50_000 : 600;
let terminated = false;
/** Undefined while the command runs. */
let exit: number | undefined;
process.on('SIGINT', () => stop('SIGINT'));
process.on('SIGTERM', () => {
  // What was told to stop and did, such as a lab that served, has done its job.
  if (terminated && exit !== 0) endBy('SIGTERM');
  terminated = true;
  setTimeout(() => endBy('SIGTERM'), TERMINATION_MS).unref();
  // After Ctrl-C the run is ending already; now it has a time to do so in.
  if (!interrupt.signal.aborted) stop('SIGTERM');
});

function stop(signal: NodeJS.Signals): void {
  if (interrupt.signal.aborted) endBy(signal);
  else interrupt.abort(new Error(`interrupted by ${signal}`));
}

/**
 * At once: `process.exit` waits for the threads, and one that makes an RSA key takes seconds. What the run did is in its
 * journal, and its lock is that of a dead process.
 */
function endBy(signal: NodeJS.Signals): void {
  // A signal ends a process without a word to those who remove what must not stay.
  process.emit('exit', 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

// A reader that goes away (`oxherd plan | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

/** `main` is two folders below it, as a module and as a part of the package. */
function packageVersion(): string {
  const path = join(dirname(fileURLToPath(import.meta.url)), '../../package.json');
  const { version }: { version?: unknown } = JSON.parse(readFileSync(path, 'utf8'));
  return String(version);
}

async function main(): Promise<void> {
  exit = await runApp({
    argv: process.argv.slice(2),
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interrupt.signal,
    version: packageVersion(),
  });
  process.exitCode = exit;
  // What was told to stop and did, such as a lab that served, has done its job.
  if (terminated && exit !== 0) endBy('SIGTERM');
}

void main();
